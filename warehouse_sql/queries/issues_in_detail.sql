-- issues_in_detail
-- purpose: what the list shows of the issues of a page, as of the last build
-- parameters: issue_ids, period, since, hours_since, days_since, built_through, environments (one, or none: all)
-- returns: one row per issue that the totals hold: what it is, its state, its counts of the period, its releases, events by step of the period, of 24 hours, of 30 days
-- inputs:  errata_mart.issue_totals

with is_whole = empty({environments:Array(String)}) and environment = {environments:Array(String)}[1] as is_chosen

select
    issue_id,
    any(totals.title) as title,
    any(totals.culprit) as culprit,
    any(totals.type)::String as type,
    any(totals.platform)::String as platform,
    any(totals.first_seen) as known_first_seen,
    any(totals.last_seen) as known_last_seen,
    any(totals.status)::String as status,
    any(totals.assignee)::String as assignee,
    any(totals.chosen_priority)::String as chosen_priority,
    any(totals.level)::String as level,
    sumIf(totals.event_count, is_chosen and period = {period:String} and since = {since:DateTime('UTC')}) as event_count,
    sumIf(totals.user_count, is_chosen and period = {period:String} and since = {since:DateTime('UTC')}) as user_count,
    any(totals.first_release)::String as first_release,
    any(totals.last_release)::String as last_release,
    anyIf(bucket_counts, is_chosen and period = {period:String} and since = {since:DateTime('UTC')}) as sparkline,
    anyIf(bucket_counts, is_chosen and period = '24h' and since = {hours_since:DateTime('UTC')}) as hours,
    anyIf(bucket_counts, is_chosen and period = '30d' and since = {days_since:DateTime('UTC')}) as days
from errata_mart.issue_totals as totals
where
    (
        (period = 'all' and is_whole)
        or (
            is_chosen
            and (
                (period = {period:String} and since = {since:DateTime('UTC')})
                or (period = '24h' and since = {hours_since:DateTime('UTC')})
                or (period = '30d' and since = {days_since:DateTime('UTC')})
            )
        )
    )
    and built_through = {built_through:DateTime64(3, 'UTC')}
    and issue_id in {issue_ids:Array(UInt64)}
group by issue_id
