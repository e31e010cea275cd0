-- purpose: whether a table has the loads kept in raw, each once
-- returns: rows per project: project_id, built_count, expected_count; both are added up

select
    project_id,
    count() as built_count,
    0 as expected_count
from errata_mart.page_loads
where hour in {windows:Array(DateTime('UTC'))}
group by project_id
union all
select
    project_id,
    0 as built_count,
    -- Once in each hour that a copy names.
    uniqExact(item_id) as expected_count
from errata_raw.page_views
where
    is_load
    and ({is_every_window:Bool} or toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))})
    and occurred_at >= {window_start:DateTime('UTC')}
    and occurred_at < {window_end:DateTime64(3, 'UTC')}
    and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
group by project_id, toStartOfHour(occurred_at)
