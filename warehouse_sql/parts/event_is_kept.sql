-- purpose: the condition that an event was not deleted with its issue: copies are gone whose first came in before the deletion
-- returns: a condition
cityHash64(project_id, variant_hash) not in (
    select cityHash64(project_id, variant_hash)
    from errata_raw.variant_assignments final
    where cut_at > toDateTime64(0, 6, 'UTC')
)
or (project_id, item_id) in (
    -- Of copies of an event the one received first tells.
    with (
        ${part:cuts_in_force}
    ) as cuts

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
