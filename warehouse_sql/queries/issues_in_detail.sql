-- issues_in_detail
-- purpose: what the list shows of the issues of a page beside their counts, as of the last build
-- parameters: project_id, issue_ids, period, since, hours_since, days_since, built_through, environments (one, or none: all)
-- returns: one row per issue that the totals hold: what it is, its releases, events by step of the period, of 24 hours, of 30 days
-- inputs:  errata_read.issues, errata_read.issue_totals

with steps as (
    select
        issue_id,
        anyIf(bucket_counts, period = {period:String} and since = {since:DateTime('UTC')}) as sparkline,
        anyIf(bucket_counts, period = '24h' and since = {hours_since:DateTime('UTC')}) as hours,
        anyIf(bucket_counts, period = '30d' and since = {days_since:DateTime('UTC')}) as days
    from errata_read.issue_totals(projects = [{project_id:UInt32}])
    where
        (
            (period = {period:String} and since = {since:DateTime('UTC')})
            or (period = '24h' and since = {hours_since:DateTime('UTC')})
            or (period = '30d' and since = {days_since:DateTime('UTC')})
        )
        and is_whole = empty({environments:Array(String)})
        and environment = {environments:Array(String)}[1]
        and built_through = {built_through:DateTime64(3, 'UTC')}
        and issue_id in {issue_ids:Array(UInt64)}
    group by issue_id
)

select
    issues.issue_id as issue_id,
    issues.title as title,
    issues.culprit as culprit,
    issues.type::String as type,
    issues.level::String as level,
    issues.platform::String as platform,
    issues.first_seen as known_first_seen,
    issues.last_seen as known_last_seen,
    issues.first_release as first_release,
    issues.last_release as last_release,
    steps.sparkline as sparkline,
    steps.hours as hours,
    steps.days as days
from errata_read.issues(projects = [{project_id:UInt32}]) as issues
left join steps on issues.issue_id = steps.issue_id
where
    issues.issue_id in {issue_ids:Array(UInt64)}
    and issues.built_through = (
        select max(built_through) from errata_read.issues(projects = [{project_id:UInt32}])
    )
