-- variants_seen_since
-- purpose: a condition: events of an issue were received since a page of the list was asked for
-- parameters: seen_since, seen_count (events that were received in the 20 s before, as known then)
-- inputs:  errata_raw.error_events, errata_raw.variant_assignments
found.issue_id in (
    select issue_id
    from errata_raw.variant_assignments final
    where variant_hash in (
            select variant_hash
            from errata_raw.error_events
            where
                received_at >= {seen_since:DateTime64(3, 'UTC')}
                -- Rows received before that moment may have become visible only after it.
                or (
                    received_at >= {seen_since:DateTime64(3, 'UTC')} - interval 20 second
                    and {seen_count:UInt64} != (
                        select count()
                        from errata_raw.error_events
                        where
                            received_at >= {seen_since:DateTime64(3, 'UTC')} - interval 20 second
                            and received_at < {seen_since:DateTime64(3, 'UTC')}
                    )
                )
        )
)
