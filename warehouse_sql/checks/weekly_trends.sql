-- weekly_trends
-- purpose: whether the views counted by week add up to their days
-- parameters: windows
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.weekly_trends, errata_mart.page_metrics_daily

with versions as (
    select
        day,
        max(built_through) as built_through
    from errata_mart.page_metrics_daily
    where toStartOfWeek(day, 1) in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    group by day
)

select
    (
        select sum(sample_count)
        from ${table}
        where metric = 'view' and week in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
    ) as built_count,
    (
        select sum(sample_count)
        from errata_mart.page_metrics_daily
        where metric = 'view' and (day, built_through) in (select day, built_through from versions)
    ) as expected_count
