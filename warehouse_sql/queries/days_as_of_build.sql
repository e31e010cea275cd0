-- days_as_of_build
-- purpose: whether what is counted by variant is as of a build, not later: then it is what the build knows
-- parameters: since, counted_through
-- returns: one row: is_as_of
-- inputs:  errata_mart.variant_hourly, errata_mart.variant_daily

select
    max(latest) <= {counted_through:DateTime64(3, 'UTC')}
    and countIf(oldest != latest) = 0 as is_as_of
from (
    select
        'variant_hourly' as mart,
        toDate(hour) as day,
        max(built_through) as latest,
        min(built_through) as oldest
    from errata_mart.variant_hourly
    where hour >= toStartOfDay({since:DateTime('UTC')})
    group by day
    union all
    select
        'variant_daily' as mart,
        day,
        max(built_through) as latest,
        min(built_through) as oldest
    from errata_mart.variant_daily
    where day >= toDate({since:DateTime('UTC')})
    group by day
) as days
