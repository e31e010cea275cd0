-- purpose: p75 of one metric of page loads by day, as of the last build: what weeks are compared by
-- parameters: ${filters_of_days}, page (empty: all), metric, since, until (days, half-open), fewest_samples
-- returns: one row per day with enough samples: day, p75

select
    day,
    if(
        countIf(empty(values)) = 0 and sum(length(values)) <= 50000,
        arrayReduce('quantileExactInclusive(0.75)', groupArrayArray(50000)(values)),
        toFloat64(arrayElement(quantilesTDigestMerge(0.5, 0.75, 0.95)(value_state), 2))
    ) as p75
from errata_mart.page_metrics_daily as daily
where
    day >= {since:Date}
    and day < {until:Date}
    and metric = {metric:String}
    and navigation_type = 'navigate'
    and ${filters_of_days}
    and ({page:String} = '' or page = {page:String})
group by day
having sum(sample_count) >= {fewest_samples:UInt32}
order by day
