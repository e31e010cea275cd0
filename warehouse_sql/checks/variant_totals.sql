-- variant_totals
-- purpose: whether the totals of all time add up to the days, without what was deleted
-- parameters: watermark, projects
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.variant_totals, errata_mart.variant_daily, errata_read.deleted_parts

with versions as (
    select
        day,
        max(built_through) as built_through
    from errata_mart.variant_daily
    group by day
)

select
    (
        select sum(event_count)
        from ${table}
        where period = 'all'
    ) as built_count,
    (
        select sum(event_count)
        from errata_mart.variant_daily
        where
            (day, built_through) in (select day, built_through from versions)
            and (project_id, variant_hash, after_deletion_at) not in (
                select
                    project_id,
                    variant_hash,
                    after_deletion_at
                from errata_read.deleted_parts(
                    projects = {projects:Array(UInt32)}, decided_before = {watermark:DateTime64(3, 'UTC')}
                )
            )
    ) as expected_count
