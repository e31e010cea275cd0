-- issues_by_search
-- purpose: the issues that free combinations of filters leave, sorted, one page of them; counts are those of matching events
-- parameters: since, by_hour, reads_events, environments, releases, sort, has_cursor, after_value,
--   after_issue_id, limit, bucket_seconds, bucket_count (the conditions put in have parameters of their own)
-- returns: one row per issue with a matching event in the period; first and last seen and releases are of all time
-- inputs:  errata_read.variant_counts, errata_read.release_sightings, errata_read.issue_variants, errata_read.issue_states, errata_raw.error_events

with counted as (
    -- What only rows of raw can tell; of copies of an event one counts.
    select
        variant_hash,
        toStartOfHour(occurred_at) as bucket_at,
        count() as event_count,
        uniqStateIf(user_hash, user_hash != 0) as users_state
    from (
        select
            variant_hash,
            occurred_at,
            user_hash
        from errata_raw.error_events as events
        where
            {reads_events:Bool}
            and occurred_at >= {since:DateTime('UTC')}
            and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
            and (empty({releases:Array(String)}) or release in {releases:Array(String)})
            and (${event_condition})
        limit 1 by item_id
    )
    group by variant_hash, bucket_at
    union all
    select
        variant_hash,
        bucket_at,
        counts.event_count as event_count,
        users_state
    from errata_read.variant_counts(
        since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
    ) as counts
    where
        not {reads_events:Bool}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${count_condition})
),

matching as (
    select
        variant_hash,
        sum(counted.event_count) as event_count,
        uniqMergeState(users_state) as users_state,
        sumMap(
            [least(
                intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                {bucket_count:UInt16} - 1
            )],
            [counted.event_count]
        ) as buckets
    from counted
    group by variant_hash
),

lives as (
    select
        variant_hash,
        min(first_occurred_at) as first_seen,
        max(last_occurred_at) as last_seen,
        max(is_cut) as is_cut,
        argMinIf(release, first_occurred_at, release != '') as first_release,
        argMaxIf(release, last_occurred_at, release != '') as last_release
    from errata_read.release_sightings
    group by variant_hash
),

found as (
    select
        variants.issue_id as issue_id,
        argMin(variants.title, (is_merged, first_seen_at)) as title,
        argMin(variants.culprit, (is_merged, first_seen_at)) as culprit,
        argMin(variants.type, (is_merged, first_seen_at)) as type,
        argMin(variants.level, (is_merged, first_seen_at)) as level,
        argMin(variants.platform, (is_merged, first_seen_at)) as platform,
        groupArray(concat(variants.title, ' ', variants.culprit, ' ', variants.type)) as texts,
        groupUniqArray(variants.title) as titles,
        groupUniqArray(variants.culprit) as culprits,
        sum(matching.event_count) as event_count,
        uniqMerge(matching.users_state) as user_count,
        sumMap(matching.buckets.1, matching.buckets.2) as buckets,
        min(if(lives.is_cut, lives.first_seen, least(variants.first_seen_at, lives.first_seen))) as first_seen,
        max(lives.last_seen) as last_seen,
        argMinIf(lives.first_release, lives.first_seen, lives.first_release != '') as first_release,
        argMaxIf(lives.last_release, lives.last_seen, lives.last_release != '') as last_release
    from errata_read.issue_variants as variants
    inner join lives on variants.variant_hash = lives.variant_hash
    left join matching on variants.variant_hash = matching.variant_hash
    group by issue_id
    having event_count > 0
),

listed as (
    select
        found.issue_id as issue_id,
        title,
        culprit,
        type,
        level,
        platform,
        if(states.status = '', 'unresolved', states.status) as status,
        states.assignee as assignee,
        states.chosen_priority as chosen_priority,
        first_seen,
        last_seen,
        event_count,
        user_count,
        first_release,
        last_release,
        buckets,
        texts,
        titles,
        culprits
    from found
    left join errata_read.issue_states as states
        on found.issue_id = states.issue_id
)

select
    issue_id,
    title,
    culprit,
    type,
    level,
    platform,
    status,
    assignee,
    chosen_priority,
    first_seen,
    last_seen,
    event_count,
    user_count,
    first_release,
    last_release,
    arrayMap(
        number -> buckets.2[indexOf(buckets.1, number)],
        range({bucket_count:UInt16})
    ) as sparkline,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from listed
where
    (${issue_condition})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
settings enable_materialized_cte = 1
