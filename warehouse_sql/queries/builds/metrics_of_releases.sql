-- purpose: the percentiles of releases over all their pages, exact or merged as on the performance page
-- parameters: project_id, environment, releases, since (day), untils (of each release the last day)
-- returns: one row per release and metric: sample_count, value_sum, percentiles (50, 75, 95)

select
    release::String as release,
    metric::String as metric,
    sum(daily.sample_count) as sample_count,
    round(sum(daily.value_sum), 3) as value_sum,
    if(
        countIf(empty(values)) = 0 and sum(length(values)) <= 50000,
        arrayReduce('quantilesExactInclusive(0.5, 0.75, 0.95)', groupArrayArray(50000)(values)),
        arrayMap(value -> toFloat64(value), quantilesTDigestMerge(0.5, 0.75, 0.95)(value_state))
    ) as percentiles
from errata_mart.page_metrics_daily as daily
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in {releases:Array(String)}
    and day >= {since:Date}
    and day <= transform(release::String, {releases:Array(String)}, {untils:Array(Date)}, toDate(0))
    and metric in ('load_ms', 'load_at_most_ms', 'unended_ms', 'lcp_ms', 'api_ms')
    and navigation_type = 'navigate'
group by release, metric
