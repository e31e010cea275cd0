-- users_with_arrivals
-- purpose: how many users issues have with those that came since a build; a user who was there before counts once
-- parameters: period, since, built_through, environments (one, or none: all), issue_ids, came_users (of each of them)
-- returns: one row per issue that the build counts something of: user_count
-- inputs:  errata_mart.issue_totals

select
    issue_id,
    arrayReduce(
        'uniqMerge',
        [users_state, arrayReduce('uniqState', {came_users:Array(Array(UInt64))}[indexOf({issue_ids:Array(UInt64)}, issue_id)])]
    ) as user_count
from errata_mart.issue_totals as totals
where
    period = {period:String}
    and totals.since = {since:DateTime('UTC')}
    and is_whole = empty({environments:Array(String)})
    and environment = {environments:Array(String)}[1]
    and built_through = {built_through:DateTime64(3, 'UTC')}
    and issue_id in {issue_ids:Array(UInt64)}
