-- errata_mart.page_metrics_hourly
-- purpose: every metric of page loads by hour and device, sizes too: what budgets are evaluated from
-- grain:   one row per project, metric, page, hour, environment and device
-- key:     project_id, metric, page, hour, environment, device
-- engine:  MergeTree, a partition per day and version
-- inputs:  errata_mart.page_loads

create table errata_mart.page_metrics_hourly
(
    project_id UInt32 comment 'project',
    metric LowCardinality(String) comment 'view (counted only), or a metric named as its column in page_loads; load_at_most_ms is load_ms with a day for loads that never ended',
    page LowCardinality(String) comment 'path with {id} for variable parts, or the name of the route',
    hour DateTime('UTC') comment 'UTC hour in which the page loads started; soft navigations and restores are not counted',
    environment LowCardinality(String) comment 'environment of the counted page loads; empty when none was named',
    device LowCardinality(String) comment 'desktop, mobile, tablet or bot; empty: unknown',
    sample_count UInt64 comment 'samples: page loads, or calls of api_ms, with a value',
    value_sum Float64 comment 'sum of all samples, in ms or bytes by the name of the metric; cls has no unit',
    square_sum Float64 comment 'sum of the squares of all samples',
    unidentified_count UInt64 comment 'samples whose user is not identified; 0 for view',
    source_buckets Array(UInt8) comment 'buckets of source_counts, in ascending order; empty for view',
    source_counts Array(Int32) comment 'samples by bucket of their user (else of their page load), those of half the users counted negatively: the sum of the squares estimates how many samples come from the same users, within 9%, also of counts added up over rows',
    values Array(Float64) comment 'samples in ascending order, below 1,000; empty above',
    value_state AggregateFunction(quantileTDigest, Float64) comment 't-digest, from 1,000 samples on; empty below',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by (toDate(hour), version)
order by (project_id, metric, page, hour, environment, device)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

with loads as (
    select
        project_id,
        page,
        hour,
        environment,
        device,
        if(user_hash != 0, cityHash64(user_hash), cityHash64(item_id)) as source,
        -- The bucket from 1 on, beyond 256 if the user is not identified; half of all users count negatively.
        toInt16((1 + source % 256 + 256 * (user_hash = 0)) * if(bitTest(source, 8), -1, 1)) as source_code,
        timing_names,
        timings,
        size_names,
        sizes
    from errata_mart.page_loads
    where
        hour in {windows:Array(DateTime('UTC'))}
        and navigation_type = 'navigate'
        -- A large hour is built slice by slice of its cells.
        and cityHash64(project_id, page, environment, device) between {slice_from:UInt64} and {slice_to:UInt64}
),

measured as (
    -- Spread into metrics by cell, not by load.
    select
        project_id,
        page,
        hour,
        environment,
        device,
        arrayJoin(
            arrayConcat(
                arrayZip(
                    any(timing_names),
                    groupArrayArrayForEach(timings),
                    groupArrayArrayForEach(
                        arrayMap(samples -> arrayWithConstant(length(samples), source_code), timings)
                    )
                ),
                arrayZip(
                    any(size_names),
                    groupArrayArrayForEach(sizes),
                    groupArrayArrayForEach(
                        arrayMap(samples -> arrayWithConstant(length(samples), source_code), sizes)
                    )
                )
            )
        ) as metric_samples,
        arraySort(tupleElement(metric_samples, 2)) as sorted,
        if(tupleElement(metric_samples, 1) = 'view', [], tupleElement(metric_samples, 3)) as source_codes,
        arrayReduce(
            'sumMap',
            [arrayMap(code -> toUInt8((abs(code) - 1) % 256), source_codes)],
            [arrayMap(code -> toInt32(sign(code)), source_codes)]
        ) as counted_sources
    from loads
    group by project_id, page, hour, environment, device
)

select
    project_id,
    tupleElement(metric_samples, 1) as metric,
    page,
    hour,
    environment,
    device,
    length(sorted) as sample_count,
    arraySum(sorted) as value_sum,
    arraySum(value -> value * value, sorted) as square_sum,
    arrayCount(code -> abs(code) > 256, source_codes) as unidentified_count,
    tupleElement(counted_sources, 1) as source_buckets,
    tupleElement(counted_sources, 2) as source_counts,
    if(metric = 'view' or sample_count >= 1000, [], sorted) as values,
    -- Fed in ascending order by one thread: the same samples always give the same state.
    arrayReduce('quantileTDigestState', if(metric != 'view' and sample_count >= 1000, sorted, [])) as value_state,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(hour)) as version
from measured
where notEmpty(sorted)
settings max_bytes_before_external_group_by = 800000000
