-- issue_head
-- purpose: the top of an issue's page: what it is, its state, counts of the period and of all time
-- parameters: project_id, issue_id, since, by_hour, environments
-- returns: no row for an unknown issue, else one; merged_into: the issue it is part of by now, else 0
-- inputs:  errata_read.variant_counts, errata_read.issue_variants, errata_read.issue_states,
--   errata_read.issue_actions

with target as (
    -- The issue itself, or the one it was merged into.
    select if(merged_into != 0, merged_into, {issue_id:UInt64}) as issue_id
    from (
        select argMax(if(action = 'unmerge', 0, target_issue_id), acted_at) as merged_into
        from errata_read.issue_actions(projects = [{project_id:UInt32}])
        where issue_id = {issue_id:UInt64} and action in ('merge', 'unmerge', 'join', 'follow')
    )
),

own as (
    select *
    from errata_read.issue_variants(projects = [{project_id:UInt32}])
    where issue_id in (select issue_id from target)
),

chosen as (
    select
        variant_hash,
        sum(counts.event_count) as event_count,
        uniqMergeState(users_state) as users_state
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
    ) as counts
    where
        variant_hash in (select variant_hash from own)
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    group by variant_hash
),

lives as (
    select
        variant_hash,
        sum(counts.event_count) as event_count,
        uniqMergeState(users_state) as users_state,
        min(first_occurred_at) as first_seen,
        max(last_occurred_at) as last_seen,
        argMinIf(release, first_occurred_at, release != '') as first_release,
        argMaxIf(release, last_occurred_at, release != '') as last_release
    from errata_read.variant_counts(
        projects = [{project_id:UInt32}], since = toDateTime(0, 'UTC'), by_hour = false
    ) as counts
    where variant_hash in (select variant_hash from own)
    group by variant_hash
)

select
    own.issue_id as issue_id,
    argMin(own.title, (is_merged, first_seen_at)) as title,
    argMin(own.culprit, (is_merged, first_seen_at)) as culprit,
    argMin(own.type, (is_merged, first_seen_at)) as type,
    argMin(own.level, (is_merged, first_seen_at)) as level,
    argMin(own.platform, (is_merged, first_seen_at)) as platform,
    min(if(lives.event_count = 0, own.first_seen_at, least(own.first_seen_at, lives.first_seen))) as first_seen,
    max(if(lives.event_count = 0, own.first_seen_at, lives.last_seen)) as last_seen,
    sum(chosen.event_count) as event_count,
    uniqMerge(chosen.users_state) as user_count,
    sum(lives.event_count) as total_event_count,
    uniqMerge(lives.users_state) as total_user_count,
    argMinIf(lives.first_release, lives.first_seen, lives.first_release != '') as first_release,
    argMaxIf(lives.last_release, lives.last_seen, lives.last_release != '') as last_release,
    any(states.acted_at) as acted_at,
    any(states.actor) as actor,
    if(any(states.status) = '', 'unresolved', any(states.status)) as status,
    count() as variant_count,
    if(own.issue_id = {issue_id:UInt64}, 0, own.issue_id) as merged_into
from own
left join lives on own.variant_hash = lives.variant_hash
left join chosen on own.variant_hash = chosen.variant_hash
left join errata_read.issue_states(projects = [{project_id:UInt32}]) as states on own.issue_id = states.issue_id
group by own.issue_id
settings enable_materialized_cte = 1
