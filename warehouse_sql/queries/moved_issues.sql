-- moved_issues
-- purpose: the issues that got events since a page of the list was asked for, which may have moved above what was shown
-- parameters: asked_at, event_count (as recent_events said then)
-- returns: one row per issue
-- inputs:  errata_read.issue_variants, errata_raw.error_events

select distinct variants.issue_id as issue_id
from errata_read.issue_variants as variants
where
    variant_hash in (
        select variant_hash
        from errata_raw.error_events
        where
            received_at >= {asked_at:DateTime64(3, 'UTC')}
            -- Something received before it came into sight after it: whatever was received by then may have.
            or (
                received_at >= {asked_at:DateTime64(3, 'UTC')} - interval 20 second
                and {event_count:UInt64} != (
                    select count()
                    from errata_raw.error_events
                    where
                        received_at >= {asked_at:DateTime64(3, 'UTC')} - interval 20 second
                        and received_at < {asked_at:DateTime64(3, 'UTC')}
                )
            )
    )
