-- event_kept
-- purpose: an event was not deleted with its issue: its copy that counts was received later; with the parameters of the question
-- parameters: none
-- names: none
toUnixTimestamp64Milli(received_at) * 1000 > transform(
    variant_hash,
    -- It takes no empty ones.
    arrayPushBack(
        arrayMap(
            cut -> cut.1,
            (
                select arraySort(groupArray((variant_hash, toUnixTimestamp64Micro(cut_at))))
                from errata_read.deleted_parts(
                    decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
                )
                where after_deletion_at = toDateTime64(0, 6, 'UTC')
            )
        ),
        toUInt64(0)
    ),
    arrayPushBack(
        arrayMap(
            cut -> cut.2,
            (
                select arraySort(groupArray((variant_hash, toUnixTimestamp64Micro(cut_at))))
                from errata_read.deleted_parts(
                    decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
                )
                where after_deletion_at = toDateTime64(0, 6, 'UTC')
            )
        ),
        toInt64(0)
    ),
    toInt64(0)
)
