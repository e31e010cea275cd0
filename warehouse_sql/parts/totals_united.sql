-- totals_united
-- purpose: the other issues of totals_built where users are counted: with the set of their users as of the build, to be united with those who came
-- parameters: user_spans (periods and starts), wholes, environments (none: all)
-- names:   own (a condition on issue_id)
-- returns: rows per issue, span, is_whole (all environments together) and environment. Users, of user_spans alone: either user_count or users_state
-- inputs:  errata_mart.issue_totals
select
    issue_id,
    period::String as span,
    is_whole,
    environment::String as environment,
    totals.event_count as event_count,
    toUInt64(0) as user_count,
    users_state,
    bucket_counts,
    recorded_at,
    first_occurred_at,
    last_occurred_at,
    first_release,
    last_release
from errata_mart.issue_totals as totals
where
    (period, since) in {user_spans:Array(Tuple(String, DateTime('UTC')))}
    and (
        (
            is_whole in {wholes:Array(Bool)}
            and (is_whole or empty({environments:Array(String)}) or environment in {environments:Array(String)})
        )
        -- First and last seen are of all time and all environments.
        or (period = 'all' and is_whole)
    )
    and (${own})
    and issue_id not in (select issue_id from moved where not is_joining)
    and issue_id in (select issue_id from fresh where user_hash != 0 union all select issue_id from moved)
