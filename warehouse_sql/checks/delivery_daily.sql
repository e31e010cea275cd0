-- purpose: whether the batches counted in a table, with their copies, add up to the deliveries kept in raw
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    sum(batch_count + repeated_batch_count) as built_count,
    0 as expected_count
from errata_mart.delivery_daily
where day in arrayMap(start -> toDate(start), {windows:Array(DateTime('UTC'))})
group by project_id
union all
select
    project_id,
    0 as built_count,
    count() as expected_count
from errata_raw.deliveries
where
    toDateTime(day, 'UTC') in {windows:Array(DateTime('UTC'))}
    and host != ''
    and file != ''
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
group by project_id
