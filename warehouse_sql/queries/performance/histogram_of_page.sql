-- purpose: how one metric is spread over the page loads of a page, as of the last build
-- definition: Page loads that measured the metric, each once, counted by spans of equal width; the last span is open. A load that had not ended
--   when it was reported counts with the time until which it is known to have lasted.
-- parameters: since, until, ${filters}, page, metric, width (of a span, in the metric's unit), last_bin (its number, from 0)
-- returns: one row per span with loads: bin, sample_count

with samples as (
    select arrayJoin(arrayElement(timings, indexOf(timing_names, {metric:String}))) as value
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ${filters}
        and page = {page:String}
)

select
    toUInt32(least(floor(value / {width:Float64}), {last_bin:UInt32})) as bin,
    count() as sample_count
from samples
group by bin
order by bin
