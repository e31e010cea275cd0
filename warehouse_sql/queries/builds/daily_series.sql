-- purpose: p75 of page loads by day, of each page and of all together: what change points are looked for in
-- parameters: project_id, since, until (days, half-open), metrics, fewest_samples (of a day), fewest_days
-- returns: one row per environment, page (empty: all together) and metric: days (day, p75), sample_count; the busiest first

with by_day as (
    select
        environment::String as environment,
        if(grouping(page) = 1, '', page::String) as page_name,
        metric::String as metric,
        day,
        sum(daily.sample_count) as day_count,
        if(
            countIf(empty(values)) = 0 and sum(length(values)) <= 50000,
            arrayReduce('quantileExactInclusive(0.75)', groupArrayArray(50000)(values)),
            toFloat64(arrayElement(quantilesTDigestMerge(0.5, 0.75, 0.95)(value_state), 2))
        ) as p75
    from errata_mart.page_metrics_daily as daily
    where
        project_id = {project_id:UInt32}
        and day >= {since:Date}
        and day < {until:Date}
        and metric in {metrics:Array(String)}
        and navigation_type = 'navigate'
    group by grouping sets ((environment, metric, day, page), (environment, metric, day))
    having day_count >= {fewest_samples:UInt32}
)

select
    environment,
    page_name,
    metric,
    arraySort(groupArray((day, p75))) as days,
    sum(day_count) as sample_count
from by_day
group by environment, page_name, metric
having length(days) >= {fewest_days:UInt32}
order by sample_count desc, environment, page_name, metric
