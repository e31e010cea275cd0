-- purpose: whether the causes counted in a table add up to the measured vitals of its page loads
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(sample_count) as built_count,
    0 as expected_count
from errata_mart.page_causes_daily
where part = 'value' and day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    sum(measured_count) as expected_count
from (
    select
        project_id,
        -- Once in each day that a copy names.
        argMin((not isNaN(inp_ms)) + (not isNaN(lcp_ms)) + (not isNaN(cls)), (received_at, hour)) as measured_count
    from errata_mart.page_loads
    where toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
    group by project_id, toDate(hour), item_id
)
group by project_id
