-- errata_read.kept_events
-- purpose: error events without those that were deleted with their issue: copies whose first came in before the deletion
-- returns: rows as in error_events. Slower than those: to be asked where something was deleted
-- inputs:  errata_raw.error_events, errata_read.deleted_parts

create or replace view errata_read.kept_events
sql security invoker
as
with (
    -- None of them may be empty.
    select (
        arrayPushBack(groupArray(variant_hash), toUInt64(0)),
        arrayPushBack(groupArray(cityHash64(project_id, variant_hash)), toUInt64(0)),
        arrayPushBack(groupArray(toUnixTimestamp64Micro(cut_at)), toInt64(0))
    )
    from errata_read.deleted_parts(
        decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
    )
    where after_deletion_at = toDateTime64(0, 6, 'UTC')
) as cuts

select *
from errata_raw.error_events
where
    (
        cityHash64(project_id, variant_hash) not in (cuts.2)
        or (project_id, item_id) in (
            -- Of copies of an event the one received first tells.
            select
                project_id,
                item_id
            from errata_raw.error_events
            where
                variant_hash in (cuts.1)
                and item_id in (
                    select item_id
                    from errata_raw.error_events
                    where
                        variant_hash in (cuts.1)
                        and toUnixTimestamp64Milli(received_at) * 1000
                        > transform(cityHash64(project_id, variant_hash), cuts.2, cuts.3, toInt64(0))
                )
            group by project_id, item_id
            having min(
                toUnixTimestamp64Milli(received_at) * 1000
                > transform(cityHash64(project_id, variant_hash), cuts.2, cuts.3, toInt64(0))
            )
        )
    )
