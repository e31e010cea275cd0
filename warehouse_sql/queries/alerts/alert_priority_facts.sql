-- purpose: what the priority of issues was computed from at some moments, by what was received until then
-- parameters: issue_ids, at_ms (two lists of the same length), since (14 days before the first moment), until (after the last)
-- returns: one row per issue and moment: level, first_seen_at; day_count (of the 24 hours before), week_count (of the seven days before
--   them), user_count, unhandled_count and sampled_count (of 14 days)

with asked as (
    select
        each.1 as issue_id,
        toInt64(each.2) as at_ms
    from (select arrayJoin(arrayZip({issue_ids:Array(UInt64)}, {at_ms:Array(Int64)})) as each)
),

variants as materialized (
    select
        variants.variant_hash as variant_hash,
        variants.issue_id as issue_id,
        variants.is_merged as is_merged,
        variants.first_seen_at as first_seen_at,
        variants.level as level,
        spans.first_ms as first_ms,
        spans.last_ms as last_ms
    from errata_read.issue_variants as variants
    inner join (
        select
            issue_id,
            min(asked.at_ms) as first_ms,
            max(asked.at_ms) as last_ms
        from asked
        group by issue_id
    ) as spans on variants.issue_id = spans.issue_id
),

arrived as materialized (
    -- Among copies of an event, the one received first counts.
    select
        variants.issue_id as issue_id,
        events.item_id as item_id,
        min(toUnixTimestamp64Milli(events.received_at)) as at_ms,
        any(events.user_hash) as user_hash,
        any(events.is_handled) as is_handled
    from errata_raw.error_events as events
    inner join variants on events.variant_hash = variants.variant_hash
    where
        events.received_at >= {since:DateTime64(3, 'UTC')}
        and events.received_at < {until:DateTime64(3, 'UTC')}
        and events.variant_hash in (select variant_hash from variants)
        and toUnixTimestamp64Milli(events.received_at) >= variants.first_ms - 14 * 86400000
        and toUnixTimestamp64Milli(events.received_at) <= variants.last_ms
    group by issue_id, item_id
),

visits as (
    -- A user counts from an event on until two weeks have passed without another.
    select
        issue_id,
        at_ms,
        toInt64(number = 1 or gap >= 14 * 86400000) as begins,
        toInt64(next_gap >= 14 * 86400000) as ends
    from (
        select
            issue_id,
            arraySort(groupArray(at_ms)) as moments,
            arrayDifference(moments) as gaps
        from arrived
        where user_hash != 0
        group by issue_id, user_hash
    )
    array join
        moments as at_ms,
        arrayEnumerate(moments) as number,
        gaps as gap,
        arrayShiftLeft(gaps, 1, toInt64(1000000000000)) as next_gap
),

steps as (
    -- Each event's changes to the counts, and their moments.
    select
        issue_id,
        step.1 as at_ms,
        step.2 as changes
    from (
        select
            issue_id,
            arrayJoin([
                (at_ms, [1, 0, 0, toInt64(not is_handled), 1]),
                (at_ms + 86400000, [-1, 1, 0, 0, 0]),
                (at_ms + 8 * 86400000, [0, -1, 0, 0, 0]),
                (at_ms + 14 * 86400000, [0, 0, 0, -toInt64(not is_handled), -1])
            ]) as step
        from arrived
        union all
        select
            issue_id,
            arrayJoin([(at_ms, [0, 0, begins, 0, 0]), (at_ms + 14 * 86400000, [0, 0, -ends, 0, 0])]) as step
        from visits
    )
),

counted as (
    select
        issue_id,
        at_ms,
        is_asked,
        sumForEach(changes) over (
            partition by issue_id
            order by at_ms, is_asked
            rows between unbounded preceding and current row
        ) as counts
    from (
        select
            issue_id,
            at_ms,
            false as is_asked,
            changes
        from steps
        union all
        select distinct
            issue_id,
            at_ms,
            true as is_asked,
            [toInt64(0), 0, 0, 0, 0] as changes
        from asked
    )
),

looks as (
    select
        issue_id,
        argMin(variants.level, (is_merged, variants.first_seen_at)) as level,
        min(variants.first_seen_at) as first_seen_at
    from variants
    group by issue_id
)

select
    counted.issue_id as issue_id,
    counted.at_ms as at_ms,
    looks.level as level,
    looks.first_seen_at as first_seen_at,
    counts[1] as day_count,
    counts[2] as week_count,
    counts[3] as user_count,
    counts[4] as unhandled_count,
    counts[5] as sampled_count
from counted
inner join looks on counted.issue_id = looks.issue_id
where is_asked
settings enable_materialized_cte = 1
