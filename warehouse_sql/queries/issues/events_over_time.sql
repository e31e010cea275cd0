-- purpose: error events of a project by step of time, as of this very moment
-- definition: Events counts the error events that occurred in a step, each once, without those of deleted issues.
-- parameters: project_id, environment, release (empty: all), since (a full hour; the start of a day unless by_hour), until, by_hour, step (week, day or hour)
-- returns: one row per step with events: bucket_start, event_count

select
    multiIf(
        {step:String} = 'week', toDateTime(toStartOfWeek(bucket_at, 1), 'UTC'),
        {step:String} = 'day', toStartOfDay(bucket_at),
        bucket_at
    ) as bucket_start,
    sum(counts.event_count) as event_count
from (
    ${part:variant_counts}
) as counts
where
    project_id = {project_id:UInt32}
    and bucket_at < {until:DateTime64(3, 'UTC')}
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
group by bucket_start
order by bucket_start
settings enable_materialized_cte = 1
