-- purpose: one metric of a page by device, browser and country, as of the last build
-- definition: Page loads of the page, each once, by what the visitor used and where they were. The p75 is exact up to 50,000 loads, else estimated
--   by t-digest within 1%.
-- parameters: since, until, ${filters}, page, metric
-- returns: one row per kind of split (device, browser, country) and value: split, name (empty: unknown), view_count, sample_count, p75 (nan: not measured)

with loads as (
    select
        arrayJoin([
            ('device', device::String),
            ('browser', browser::String),
            ('country', country::String)
        ]) as side,
        arrayElement(timings, indexOf(timing_names, {metric:String})) as samples
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
        and page = {page:String}
)

select
    tupleElement(side, 1) as split,
    tupleElement(side, 2) as name,
    count() as view_count,
    sum(length(samples)) as sample_count,
    if(
        sample_count <= 50000,
        arrayReduce('quantileExactInclusive(0.75)', groupArrayArray(50000)(samples)),
        toFloat64(quantileTDigestArray(0.75)(samples))
    ) as p75
from loads
group by split, name
order by split, view_count desc, name
