-- issues_of_project
-- purpose: the issue list of a project: whoever has an event in the period, sorted, one page of it
-- parameters: project_id, since, by_hour, environments, releases, statuses, words, sort,
--   has_cursor, after_value, after_issue_id, limit, bucket_seconds, bucket_count; an empty list filters nothing
-- returns: one row per issue; counts and sparkline of the period, first and last seen and releases of all time
-- inputs:  errata_read.variant_counts, errata_read.release_sightings, errata_read.issue_variants, errata_read.issue_states

with chosen as (
    select
        variant_hash,
        sum(counts.event_count) as event_count,
        uniqMergeState(users_state) as users_state,
        sumMap(
            [least(
                intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                {bucket_count:UInt16} - 1
            )],
            [counts.event_count]
        ) as buckets
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
    ) as counts
    where
        (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
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
    from errata_read.release_sightings(projects = [{project_id:UInt32}])
    group by variant_hash
),

listed as (
    select
        variants.issue_id as issue_id,
        argMin(variants.title, (is_merged, first_seen_at)) as title,
        argMin(variants.culprit, (is_merged, first_seen_at)) as culprit,
        argMin(variants.type, (is_merged, first_seen_at)) as type,
        argMin(variants.level, (is_merged, first_seen_at)) as level,
        argMin(variants.platform, (is_merged, first_seen_at)) as platform,
        groupArray(concat(variants.title, ' ', variants.culprit, ' ', variants.type)) as texts,
        sum(chosen.event_count) as event_count,
        uniqMerge(chosen.users_state) as user_count,
        sumMap(chosen.buckets.1, chosen.buckets.2) as buckets,
        min(if(lives.is_cut, lives.first_seen, least(variants.first_seen_at, lives.first_seen))) as first_seen,
        max(lives.last_seen) as last_seen,
        argMinIf(lives.first_release, lives.first_seen, lives.first_release != '') as first_release,
        argMaxIf(lives.last_release, lives.last_seen, lives.last_release != '') as last_release
    from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
    inner join lives on variants.variant_hash = lives.variant_hash
    left join chosen on variants.variant_hash = chosen.variant_hash
    group by issue_id
    having event_count > 0
)

select
    listed.issue_id as issue_id,
    title,
    culprit,
    type,
    level,
    platform,
    if(states.status = '', 'unresolved', states.status) as status,
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
left join errata_read.issue_states(projects = [{project_id:UInt32}]) as states
    on listed.issue_id = states.issue_id
where
    (empty({statuses:Array(String)}) or status in {statuses:Array(String)})
    and arrayExists(
        text -> arrayAll(word -> positionCaseInsensitiveUTF8(text, word) > 0, {words:Array(String)}),
        texts
    )
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
settings enable_materialized_cte = 1
