-- purpose: how many page loads of a page were good, needed improvement and were poor by each vital, as of the last build
-- definition: Page loads that measured the vital, each once: good up to the lower threshold of web.dev, poor above the upper one.
-- parameters: since, until, ${filters}, page, metrics, good_through (of each metric), poor_above (of each metric)
-- returns: one row per metric that loads measured: metric, good_count, fair_count, poor_count

with samples as (
    select
        arrayJoin(
            arrayZip({metrics:Array(String)}, {good_through:Array(Float64)}, {poor_above:Array(Float64)})
        ) as vital,
        arrayJoin(arrayElement(timings, indexOf(timing_names, tupleElement(vital, 1)))) as value
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
        and page = {page:String}
)

select
    tupleElement(vital, 1) as metric,
    countIf(value <= tupleElement(vital, 2)) as good_count,
    countIf(value > tupleElement(vital, 2) and value <= tupleElement(vital, 3)) as fair_count,
    countIf(value > tupleElement(vital, 3)) as poor_count
from samples
group by metric
order by metric
