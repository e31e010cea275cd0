-- purpose: events and users of named issues in periods and of all time, by environment, as of the last build, with events received since
-- definition: Events counts each error event of the issue once, however often it was delivered. Users are told apart by the first of ID, email
--   address, name and IP address that the SDK sent; events without any of them have no user. Each user counts once, exactly up to about 65,000 users,
--   within 1% beyond.
-- returns: one row per issue, span, is_whole (all environments together) and environment: event_count, user_count, events by step, first and last seen,
--   releases

select
    issue_id,
    span,
    is_whole,
    environment,
    sum(counts.event_count) as event_count,
    -- For each issue, either the number or the set of users is filled.
    sum(counts.user_count) + uniqMerge(counts.users_state) as user_count,
    sumForEach(bucket_counts) as steps,
    min(first_occurred_at) as first_seen,
    max(last_occurred_at) as last_seen,
    argMinIf(counts.first_release, first_occurred_at, counts.first_release != '') as first_release,
    argMaxIf(counts.last_release, last_occurred_at, counts.last_release != '') as last_release
from (
    ${counts}
) as counts
group by issue_id, span, is_whole, environment
