-- errata_mart.page_metrics_daily
-- purpose: every metric of every page by day: what page figures of any period are counted from
-- grain:   one row per project, day, page, kind of navigation, environment, release and metric
-- key:     project_id, day, page, navigation_type, environment, release, metric
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_mart.page_loads

create table errata_mart.page_metrics_daily
(
    project_id UInt32 comment 'project',
    day Date comment 'UTC day on which the views started',
    page LowCardinality(String) comment 'path with {id} for variable parts, or the name of the route',
    navigation_type LowCardinality(String) comment 'navigate, soft-navigation or back-forward-cache',
    environment LowCardinality(String) comment 'environment of the counted views; empty when none was named',
    release LowCardinality(String) comment 'release of the counted views; empty when none was named',
    metric LowCardinality(String) comment 'view (counted only), or a metric named as its column in page_loads; load_at_most_ms is load_ms with a day for loads that never ended',
    sample_count UInt64 comment 'samples: views, or calls of api_ms, with a value',
    value_sum Float64 comment 'sum of all samples, in ms or bytes by the name of the metric; cls has no unit',
    values Array(Float64) comment 'samples in ascending order, below 1,000; empty above',
    value_state AggregateFunction(quantilesTDigest(0.5, 0.75, 0.95), Float64) comment 't-digest of all samples; empty for view',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (day, version)
order by (project_id, day, page, navigation_type, environment, release, metric)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with later_copies as materialized (
    -- Of an item whose copies name several hours of a day the one received first counts.
    select
        project_id,
        item_id,
        tupleElement(arrayJoin(arrayPopFront(arraySort(groupArray((received_at, hour))))), 2) as later_hour
    from errata_mart.page_loads
    where toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
    group by project_id, toDate(hour), item_id
    having count() > 1
),

measured as (
    -- Spread into metrics by cell, not by load.
    select
        project_id,
        toDate(hour) as day,
        page,
        navigation_type,
        environment,
        release,
        arrayJoin(arrayZip(any(timing_names), groupArrayArrayForEach(timings))) as metric_samples,
        arraySort(tupleElement(metric_samples, 2)) as sorted
    from errata_mart.page_loads
    where
        toStartOfDay(hour) in {windows:Array(DateTime('UTC'))}
        and (project_id, item_id, hour) not in (select project_id, item_id, later_hour from later_copies)
        -- A large day is built slice by slice of its cells.
        and cityHash64(project_id, page, environment, release) between {slice_from:UInt64} and {slice_to:UInt64}
    group by project_id, day, page, navigation_type, environment, release
)

select
    project_id,
    day,
    page,
    navigation_type,
    environment,
    release,
    tupleElement(metric_samples, 1) as metric,
    length(sorted) as sample_count,
    arraySum(sorted) as value_sum,
    if(metric = 'view' or sample_count >= 1000, [], sorted) as values,
    -- Fed in ascending order by one thread: the same samples always give the same state.
    arrayReduce('quantilesTDigestState(0.5, 0.75, 0.95)', if(metric = 'view', [], sorted)) as value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(day) as version
from measured
where notEmpty(sorted)
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 800000000
