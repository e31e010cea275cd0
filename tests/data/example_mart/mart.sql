-- errata_mart.calls_by_service
-- purpose: calls of each service, by day
-- grain:   one row per project, day and service
-- key:     project_id, day, service
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.requests

create table errata_mart.calls_by_service
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day of the calls',
    service LowCardinality(String) comment 'service that was called',
    call_count UInt64 comment 'calls, each counted once',
    users AggregateFunction(uniq, UInt64) comment 'identified users, to merge days: uniqMerge(users)',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, service);

select
    project_id,
    toDate(occurred_at) as day,
    service,
    uniqExact(item_id) as call_count,
    uniqState(user_hash) as users,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from errata_raw.requests
where
    toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
    and received_at < {watermark:DateTime64(3, 'UTC')}
group by project_id, day, service
