-- errata_mart.endpoint_metrics_hourly
-- purpose: calls, outcomes and durations of every endpoint by hour: what budgets are evaluated from, and periods of hours
-- grain:   one row per project, side, method, route, hour, host, environment and release
-- key:     project_id, side, method, route, hour, host, environment, release
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_raw.requests

create table errata_mart.endpoint_metrics_hourly
(
    project_id UInt32 comment 'project',
    side LowCardinality(String) comment 'server: incoming call; page: call made by the browser',
    method LowCardinality(String) comment 'HTTP method in capitals; empty: unknown',
    route LowCardinality(String) comment 'transaction name, or the path with {id} for variable parts',
    hour DateTime('UTC') comment 'UTC hour in which the calls started',
    host LowCardinality(String) comment 'host that the page called; empty on the server side',
    environment LowCardinality(String) comment 'environment of the counted calls; empty when none was named',
    release LowCardinality(String) comment 'release of the counted calls; empty when none was named',
    call_count UInt64 comment 'calls, including those without a response',
    success_count UInt64 comment 'calls with a status from 100 to 399',
    client_error_count UInt64 comment 'calls with a 4xx status',
    server_error_count UInt64 comment 'calls with a 5xx status',
    duration_sum_ms Float64 comment 'total duration of all calls',
    duration_square_sum Float64 comment 'sum of the squares of the durations of all calls, in square ms',
    unidentified_count UInt64 comment 'calls whose user is not identified',
    source_buckets Array(UInt8) comment 'buckets of source_counts, in ascending order',
    source_counts Array(Int32) comment 'calls by bucket of their user (else of their trace), those of half the users counted negatively: the sum of the squares estimates how many calls come from the same users, within 9%, also of counts added up over rows',
    durations_ms Array(Float64) comment 'durations in ascending order, below 1,000 calls; empty above',
    duration_state AggregateFunction(quantileTDigest, Float64) comment 't-digest, from 1,000 calls on; empty below',
    path_example String comment 'path of the last call',
    last_called_at DateTime64(3, 'UTC') comment 'start of the last call',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (toDate(hour), version)
order by (project_id, side, method, route, hour, host, environment, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with calls as (
    -- Of a call's copies of one hour the one received first counts.
    select
        *,
        toStartOfHour(occurred_at) as hour,
        multiIf(
            user_hash != 0, cityHash64(user_hash),
            trace_id != toUUID('00000000-0000-0000-0000-000000000000'), cityHash64(trace_id),
            cityHash64(item_id)
        ) as source
    from errata_raw.requests
    where
        ({is_every_window:Bool} or toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))})
        and occurred_at >= {window_start:DateTime('UTC')}
        and occurred_at < {window_end:DateTime64(3, 'UTC')}
        -- Skips partitions: the windows' recorded arrivals. Where the bounds say it all, no row is looked up.
        and ({is_every_day:Bool} or toDate(received_at) in {receipt_days:Array(Date)})
        and received_at >= {received_from:DateTime64(3, 'UTC')}
        and received_at < {received_to:DateTime64(3, 'UTC')}
    order by received_at, occurred_at
    limit 1 by project_id, hour, item_id
),

cells as (
    select
        project_id,
        side,
        method,
        route,
        hour,
        host,
        environment,
        release,
        arraySort(groupArray(duration_ms)) as sorted,
        length(sorted) as call_count,
        countIf(status_code between 100 and 399) as success_count,
        countIf(status_code between 400 and 499) as client_error_count,
        countIf(status_code between 500 and 599) as server_error_count,
        arraySum(sorted) as duration_sum_ms,
        arraySum(value -> value * value, sorted) as duration_square_sum,
        countIf(user_hash = 0) as unidentified_count,
        -- Half of all users count negatively.
        sumMap([toUInt8(source % 256)], [if(bitTest(source, 8), toInt32(-1), toInt32(1))]) as counted_sources,
        tupleElement(counted_sources, 1) as source_buckets,
        tupleElement(counted_sources, 2) as source_counts,
        if(call_count < 1000, sorted, []) as durations_ms,
        -- Fed in ascending order by one thread: the same calls always give the same state.
        arrayReduce('quantileTDigestState', if(call_count < 1000, [], sorted)) as duration_state,
        argMax(path, (occurred_at, item_id)) as path_example,
        max(occurred_at) as last_called_at
    from calls
    group by project_id, hour, side, method, route, host, environment, release
)

select
    * except (sorted, counted_sources),
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(hour)) as version
from cells
