-- purpose: what the issue list shows of the issues of a page beside what it is sorted by
-- definition: Each bar counts the error events of an issue in one step of time, each event once. Users counts the distinct users of the issue's events
--   in the period, told apart by the first of ID, email address, name and IP address that the SDK sent; each user counts once, exactly up to about
--   65,000 users, within 1% beyond. A list that is sorted by users, or searched for them, has counted them before.
-- parameters: span (the period), is_whole, environment, hour_count, day_count (0: nothing is told of them) (what is put in has parameters of its own)
-- returns: one row per issue: users (0 if they are not asked for), events by step of the period, of 24 hours and of 30 days, first and last seen and releases of all time

select
    issue_id,
    -- For each issue, either the number or the set of users is filled.
    sumIf(counts.user_count, is_asked) + uniqMergeIf(counts.users_state, is_asked) as user_count,
    sumForEachIf(bucket_counts, is_asked) as sparkline,
    arrayResize(sumForEachIf(bucket_counts, span = '24h' and is_asked_environment), {hour_count:UInt16}) as hours,
    arrayResize(sumForEachIf(bucket_counts, span = '30d' and is_asked_environment), {day_count:UInt16}) as days,
    min(least(counts.recorded_at, counts.first_occurred_at)) as first_seen,
    max(counts.last_occurred_at) as last_seen,
    argMinIf(counts.first_release, counts.first_occurred_at, counts.first_release != '') as first_release,
    argMaxIf(counts.last_release, counts.last_occurred_at, counts.last_release != '') as last_release
from (
    select
        *,
        is_whole = {is_whole:Bool} and environment = {environment:String} as is_asked_environment,
        is_asked_environment and span = {span:String} as is_asked
    from (
        ${counts}
    )
) as counts
group by issue_id
