-- issues_with_arrivals
-- purpose: one page of the issue list, of the issues that something arrived of since the totals or that are put together otherwise by now
-- parameters: project_id, period, since, built_through, counted_through, environments (one, or none: all), statuses,
--   issue_ids (that the totals know as they are), moved_variants, moved_into, moved_are_merged (of the others), changed_issue_ids,
--   changed_statuses, sort, has_cursor, after_value, after_issue_id, limit
-- returns: one row per issue, the greatest first; arrivals (occurred_at, release, whether of a chosen environment) are not in the totals
-- inputs:  errata_read.issues_with_arrivals

select
    issue_id,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_statuses:Array(String)},
        issues.status
    ) as status,
    level,
    event_count,
    user_count,
    first_seen,
    last_seen,
    arrivals,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from errata_read.issues_with_arrivals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)},
    issue_ids = {issue_ids:Array(UInt64)},
    moved_variants = {moved_variants:Array(UInt64)},
    moved_into = {moved_into:Array(UInt64)},
    moved_are_merged = {moved_are_merged:Array(Bool)}
) as issues
where
    (empty({statuses:Array(String)}) or status in {statuses:Array(String)})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
