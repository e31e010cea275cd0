-- variant_marts_of_build
-- purpose: whether what is counted by variant is as of a build, not later: then it is what the build knows
-- parameters: project_id, since, counted_through
-- returns: one row: is_as_of, copies_are_known (of what the build counts), and version: it changes with every build of the days from
--   since on
-- inputs:  errata_read.variant_hourly, errata_read.variant_daily, errata_read.build_progress

select
    sum(cityHash64(mart, day, latest)) as version,
    max(latest) <= {counted_through:DateTime64(3, 'UTC')}
    and countIf(oldest != latest) = 0 as is_as_of,
    (
        select max(as_of) >= {counted_through:DateTime64(3, 'UTC')}
        from errata_read.build_progress
        where mart = 'repeated_events'
    ) as copies_are_known
from (
    select
        'variant_hourly' as mart,
        toDate(hour) as day,
        max(built_through) as latest,
        min(built_through) as oldest
    from errata_read.variant_hourly(projects = [{project_id:UInt32}])
    where hour >= toStartOfDay({since:DateTime('UTC')})
    group by day
    union all
    select
        'variant_daily' as mart,
        day,
        max(built_through) as latest,
        min(built_through) as oldest
    from errata_read.variant_daily(projects = [{project_id:UInt32}])
    where day >= toDate({since:DateTime('UTC')})
    group by day
) as days
