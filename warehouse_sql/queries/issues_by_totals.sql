-- issues_by_totals
-- purpose: one page of the issue list by totals alone, of the issues that nothing arrived of since
-- parameters: project_id, period, since, built_through, environments (one, or none: all), statuses,
--   but_issue_ids (with arrivals, put together otherwise by now, or deleted since), changed_issue_ids, changed_statuses (what the
--   totals do not know yet), sort, has_cursor, after_value, after_issue_id, limit
-- returns: one row per issue, the greatest first
-- inputs:  errata_read.listed_totals

select
    issue_id,
    transform(
        issue_id,
        {changed_issue_ids:Array(UInt64)},
        {changed_statuses:Array(String)},
        totals.status::String
    ) as status,
    totals.level::String as level,
    event_count,
    user_count,
    first_seen,
    last_seen,
    [] as arrivals,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from errata_read.listed_totals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)}
) as totals
where
    issue_id not in {but_issue_ids:Array(UInt64)}
    and (empty({statuses:Array(String)}) or status in {statuses:Array(String)})
    and (
        not {has_cursor:Bool}
        or (sort_value, issue_id) < ({after_value:Int64}, {after_issue_id:UInt64})
    )
order by sort_value desc, issue_id desc
limit {limit:UInt16}
