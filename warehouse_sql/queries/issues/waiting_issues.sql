-- purpose: ignored issues that wait for a count or an escalation, and what occurred: since they were ignored and by the hour
-- parameters: since (a full hour before whatever is counted), by_hour (true), history_hours
-- returns: one row per such issue: the decision, its condition, events and users since since_at (of a window its last minutes,
--   never before the decision), events of the hour of the clock so far, and the full hours before as (hours ago, events)

with waiting as materialized (
    select
        project_id,
        issue_id,
        action_id,
        acted_at,
        condition,
        JSONExtractUInt(condition, 'window_minutes') as window_minutes,
        if(
            window_minutes = 0,
            toDateTime64(acted_at, 3, 'UTC'),
            greatest(toDateTime64(acted_at, 3, 'UTC'), now64(3, 'UTC') - toIntervalMinute(window_minutes))
        ) as since_at
    from errata_read.issue_states
    where
        status = 'ignored'
        and condition != ''
        -- An issue whose return a person undid stays ignored.
        and action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where action = 'wake'
        )
),

variants as materialized (
    select
        variants.project_id as project_id,
        variants.variant_hash as variant_hash,
        waiting.issue_id as issue_id,
        waiting.since_at as since_at
    from errata_read.issue_variants as variants
    inner join waiting on variants.project_id = waiting.project_id and variants.issue_id = waiting.issue_id
),

full_hours as (
    select
        variants.project_id as project_id,
        variants.issue_id as issue_id,
        sumIf(counts.event_count, bucket_at >= since_at) as event_count,
        uniqMergeStateIf(counts.users_state, bucket_at >= since_at) as users_state,
        sumMapIf(
            [toUInt32(dateDiff('hour', bucket_at, toStartOfHour(now('UTC'))))],
            [counts.event_count],
            bucket_at < toStartOfHour(now('UTC'))
            and bucket_at >= toStartOfHour(now('UTC')) - toIntervalHour({history_hours:UInt32})
        ) as hours
    from (
        ${part:variant_counts}
    ) as counts
    inner join variants on counts.project_id = variants.project_id and counts.variant_hash = variants.variant_hash
    group by project_id, issue_id
),

own_events as (
    -- The rest of the hour it was ignored in, and the hour of the clock so far.
    select
        events.project_id as project_id,
        events.item_id as item_id,
        any(variants.issue_id) as issue_id,
        any(variants.since_at) as since_at,
        any(events.occurred_at) as occurred_at,
        any(events.user_hash) as user_hash
    from errata_raw.error_events as events
    inner join variants on events.project_id = variants.project_id and events.variant_hash = variants.variant_hash
    where
        (
            (
                events.occurred_at > variants.since_at
                and events.occurred_at < toStartOfHour(variants.since_at) + interval 1 hour
                and toStartOfHour(variants.since_at) != variants.since_at
            )
            or events.occurred_at >= toDateTime64(toStartOfHour(now('UTC')), 3, 'UTC')
        )
        and (${is_kept})
    group by project_id, item_id
),

parts as (
    select
        project_id,
        issue_id,
        countIf(
            occurred_at > since_at
            and since_at != toStartOfHour(since_at)
            and occurred_at < toStartOfHour(since_at) + interval 1 hour
        ) as event_count,
        uniqStateIf(
            user_hash,
            user_hash != 0
            and occurred_at > since_at
            and since_at != toStartOfHour(since_at)
            and occurred_at < toStartOfHour(since_at) + interval 1 hour
        ) as users_state,
        countIf(occurred_at >= toStartOfHour(now('UTC')) and occurred_at <= now64(3, 'UTC')) as hour_count
    from own_events
    group by project_id, issue_id
)

select
    waiting.project_id as project_id,
    waiting.issue_id as issue_id,
    any(waiting.action_id) as action_id,
    any(waiting.condition) as condition,
    any(full_hours.event_count) + any(parts.event_count) as event_count,
    uniqMerge(counted.users_state) as user_count,
    any(parts.hour_count) as hour_count,
    arrayZip(any(full_hours.hours).1, any(full_hours.hours).2) as hours
from waiting
left join full_hours on waiting.project_id = full_hours.project_id and waiting.issue_id = full_hours.issue_id
left join parts on waiting.project_id = parts.project_id and waiting.issue_id = parts.issue_id
left join (
    select project_id, issue_id, users_state from full_hours
    union all
    select project_id, issue_id, users_state from parts
) as counted on waiting.project_id = counted.project_id and waiting.issue_id = counted.issue_id
group by project_id, issue_id
order by project_id, issue_id
settings enable_materialized_cte = 1
