-- issues_of_counts
-- purpose: one page of the issues that have a matching event, which were counted one way or another; what issues are is known from a build
-- parameters: since, built_through, counted_through, apart_issue_ids, moved_variants, moved_into,
--   moved_are_merged (what the build does not know), issue_ids, came_firsts, came_lasts (what arrived), changed_issue_ids, changed_statuses, changed_assignees,
--   changed_priorities, moved_above (to be listed though they stand before the cursor), bucket_seconds, bucket_count, sort,
--   has_cursor, after_value, after_issue_id, limit (what is put in has parameters of its own)
-- names:   counted, issue_condition
-- returns: one row per issue with a matching event in the period, the greatest first
-- inputs:  errata_read.placed_variants, errata_read.issues_now

with counted as (
    ${counted}
),

matching as (
    select
        placed.issue_id as issue_id,
        sum(counted.event_count) as event_count,
        uniqMerge(counted.users_state) as user_count,
        sumMap(
            [least(
                intDiv(toInt64(bucket_at) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
                {bucket_count:UInt16} - 1
            )],
            [counted.event_count]
        ) as buckets
    from counted
    inner join errata_read.placed_variants(
        built_through = {built_through:DateTime64(3, 'UTC')},
        apart_issue_ids = {apart_issue_ids:Array(UInt64)},
        moved_variants = {moved_variants:Array(UInt64)},
        moved_into = {moved_into:Array(UInt64)}
    ) as placed
        on counted.variant_hash = placed.variant_hash
    group by issue_id
)

select
    matching.issue_id as issue_id,
    transform(
        matching.issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_statuses:Array(String)},
        issues.status
    ) as status,
    transform(
        matching.issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_assignees:Array(String)},
        issues.assignee
    ) as assignee,
    transform(
        matching.issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_priorities:Array(String)},
        issues.chosen_priority
    ) as chosen_priority,
    issues.level as level,
    matching.event_count as event_count,
    matching.user_count as user_count,
    issues.first_seen as first_seen,
    issues.last_seen as last_seen,
    arrayMap(
        number -> matching.buckets.2[indexOf(matching.buckets.1, number)],
        range({bucket_count:UInt16})
    ) as sparkline,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value,
    arrayMap(look -> look.1, issues.looks) as titles,
    arrayMap(look -> look.2, issues.looks) as culprits,
    arrayMap(look -> concat(look.1, ' ', look.2, ' ', look.3), issues.looks) as texts
from matching
inner join errata_read.issues_now(
    built_through = {built_through:DateTime64(3, 'UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')},
    apart_issue_ids = {apart_issue_ids:Array(UInt64)},
    moved_variants = {moved_variants:Array(UInt64)},
    moved_into = {moved_into:Array(UInt64)},
    moved_are_merged = {moved_are_merged:Array(Bool)},
    issue_ids = {issue_ids:Array(UInt64)},
    came_firsts = {came_firsts:Array(Int64)},
    came_lasts = {came_lasts:Array(Int64)}
) as issues
    on matching.issue_id = issues.issue_id
where
    (${issue_condition})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
        or issue_id in {moved_above:Array(UInt64)}
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
settings enable_materialized_cte = 1, max_bytes_before_external_group_by = 150000000
