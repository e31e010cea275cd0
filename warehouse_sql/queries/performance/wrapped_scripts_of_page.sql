-- purpose: places of functions that may be an SDK's wrappers of handlers, among the causes of a page in a period, as of the last build; a source map tells
-- parameters: since, until, days_of_loads (days to count from page loads), page, limit (places), ${filters}, ${filters_of_days}
-- returns: one row per file and position, those of most loads first: file, position

with cells as (
    select
        tupleElement(cause, 'invoker') as invoker,
        tupleElement(cause, 'file') as file,
        tupleElement(cause, 'function') as function,
        tupleElement(cause, 'position') as position,
        toUInt64(1) as sample_count
    from (
        ${part:causes_of_loads}
    )
    where tupleElement(cause, 'metric') = 'inp_ms'
    union all
    select
        invoker,
        file,
        function,
        position,
        sample_count
    from errata_mart.page_causes_daily
    where
        day >= toDate({since:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
        and day not in {days_of_loads:Array(Date)}
        and navigation_type = 'navigate'
        and page = {page:String}
        and metric = 'inp_ms'
        and part = 'value'
        and ${filters_of_days}
)

select
    file,
    position
from cells
where
    position > 0
    and ${part:may_be_wrapper}
group by file, position
order by
    sum(sample_count) desc,
    file,
    position
limit {limit:UInt32}
