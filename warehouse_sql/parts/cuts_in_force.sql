-- purpose: of each variant with a deletion that holds, when that was: events received before it are gone
-- returns: a tuple: hashes of project and variant, moments in microseconds, variants. None is empty, or `transform` would fail
select (
        arrayPushBack(groupArray(cityHash64(project_id, variant_hash)), toUInt64(0)),
        arrayPushBack(groupArray(toUnixTimestamp64Micro(cut_at)), toInt64(0)),
        arrayPushBack(groupArray(variant_hash), toUInt64(0))
    )
    from errata_raw.variant_assignments final
    where cut_at > toDateTime64(0, 6, 'UTC')
