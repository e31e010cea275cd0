-- errata_mart.endpoint_metrics_daily
-- purpose: calls, outcomes and durations of every endpoint by day, as servers answered and as pages saw them
-- grain:   one row per project, day, side, host, method, route, environment and release
-- key:     project_id, day, side, host, method, route, environment, release
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.requests

create table errata_mart.endpoint_metrics_daily
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day on which the calls started',
    side LowCardinality(String) comment 'server: incoming call; page: call made by the browser',
    host LowCardinality(String) comment 'host that the page called; empty on the server side',
    method LowCardinality(String) comment 'HTTP method in capitals; empty: unknown',
    route LowCardinality(String) comment 'transaction name, or the path with {id} for variable parts',
    environment LowCardinality(String) comment 'environment of the counted calls; empty when none was named',
    release LowCardinality(String) comment 'release of the counted calls; empty when none was named',
    call_count UInt64 comment 'calls, including those without a response',
    success_count UInt64 comment 'calls with a status from 100 to 399',
    client_error_count UInt64 comment 'calls with a 4xx status',
    server_error_count UInt64 comment 'calls with a 5xx status',
    duration_sum_ms Float64 comment 'total duration of all calls',
    durations_ms Array(Float64) comment 'durations in ascending order, below 1,000 calls; empty above',
    duration_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 't-digest, from 1,000 calls on; empty below',
    path_example String comment 'path of the last call',
    last_called_at DateTime64(3, 'UTC') comment 'start of the last call',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, side, host, method, route, environment, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with called as (
    select
        *,
        toDate(occurred_at) as day
    from errata_raw.requests
    where
        ({is_every_window:Bool} or toStartOfDay(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded arrivals. Where the bounds say it all, no row is looked up.
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

repeated as materialized (
    select
        project_id,
        item_id
    from called
    group by project_id, item_id
    having count() > 1
),

calls as (
    -- Of a call's copies of one day the one received first counts. Few have any: only these are sorted.
    select *
    from called
    where (project_id, item_id) not in (select project_id, item_id from repeated)
    union all
    select *
    from (
        select *
        from called
        where (project_id, item_id) in (select project_id, item_id from repeated)
        order by received_at, occurred_at
        limit 1 by project_id, day, item_id
    ) as first_received
),

cells as (
    select
        project_id,
        day,
        side,
        host,
        method,
        route,
        environment,
        release,
        arraySort(groupArray(duration_ms)) as sorted,
        length(sorted) as call_count,
        countIf(status_code between 100 and 399) as success_count,
        countIf(status_code between 400 and 499) as client_error_count,
        countIf(status_code between 500 and 599) as server_error_count,
        arraySum(sorted) as duration_sum_ms,
        if(call_count < 1000, sorted, []) as durations_ms,
        -- Fed in ascending order by one thread: the same calls always give the same state.
        arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(call_count < 1000, [], sorted)) as duration_state,
        argMax(path, (occurred_at, item_id)) as path_example,
        max(occurred_at) as last_called_at
    from calls
    group by project_id, day, side, host, method, route, environment, release
)

select
    * except (sorted),
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from cells
settings enable_materialized_cte = 1
