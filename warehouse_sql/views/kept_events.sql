-- errata_read.kept_events
-- purpose: error events without those that were deleted with their issue: copies whose first came in before the deletion
-- returns: rows as in error_events. Slower than those: to be asked where something was deleted
-- inputs:  errata_raw.error_events, errata_raw.variant_assignments

create or replace view errata_read.kept_events
sql security invoker
as
with (
    ${part:cuts_in_force}
) as cuts

select *
from errata_raw.error_events
where
    (
        cityHash64(project_id, variant_hash) not in (cuts.1)
        or (project_id, item_id) in (
            -- Of copies of an event the one received first tells.
            select
                project_id,
                item_id
            from errata_raw.error_events
            where
                variant_hash in (cuts.3)
                and item_id in (
                    select item_id
                    from errata_raw.error_events
                    where
                        variant_hash in (cuts.3)
                        and toUnixTimestamp64Milli(received_at) * 1000
                        > transform(cityHash64(project_id, variant_hash), cuts.1, cuts.2, toInt64(0))
                )
            group by project_id, item_id
            having min(
                toUnixTimestamp64Milli(received_at) * 1000
                > transform(cityHash64(project_id, variant_hash), cuts.1, cuts.2, toInt64(0))
            )
        )
    )
