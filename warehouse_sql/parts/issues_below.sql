-- purpose: a condition: an issue stands below the last one of the page before, or events of it were received since
-- parameters: after_value, after_issue_id, seen_since, seen_count (events that were received in the 20 s before, as known then)
(sort_value, found.issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
    or found.issue_id in (
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
