-- purpose: whether the calls counted in a table add up to those kept in raw
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(call_count) as built_count,
    0 as expected_count
from errata_mart.calls_by_service
where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    uniqExact(item_id) as expected_count
from errata_raw.requests
where
    toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
group by project_id
