-- metrics_of_release
-- purpose: the percentiles of a release over all its pages, exact or merged as on the performance page
-- parameters: project_id, environment, release, since, until (days, both included)
-- returns: one row per metric: sample_count, value_sum, percentiles (50, 75, 95)
-- inputs:  errata_mart.page_metrics_daily

with versions as (
    -- A kill inside a swap can leave two versions of a day; the later one holds.
    select
        day,
        max(built_through) as built_through
    from errata_mart.page_metrics_daily
    where day between {since:Date} and {until:Date}
    group by day
)

select
    metric::String as metric,
    sum(daily.sample_count) as sample_count,
    round(sum(daily.value_sum), 3) as value_sum,
    if(
        countIf(empty(values)) = 0 and sum(length(values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(values)),
        arrayMap(
            value -> toFloat64(value),
            quantilesTDigestMerge(0.5, 0.75, 0.95)(
                if(empty(values), value_state, arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', values))
            )
        )
    ) as percentiles
from errata_mart.page_metrics_daily as daily
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release = {release:String}
    and day between {since:Date} and {until:Date}
    and (day, daily.built_through) in (select day, built_through from versions)
    and metric in ('load_ms', 'lcp_ms', 'api_ms')
    and navigation_type = 'navigate'
group by metric
