-- purpose: issues that totals_built leaves out, with the sets of their users as of the build, to be united with those who came since
-- parameters: user_spans (period, start), wholes, environments (none: all)
-- names: own, is_intact, are_users_united (conditions on issue_id)
-- returns: rows per issue, span, is_whole (all environments together) and environment, with users_state
select
    issue_id,
    period::String as span,
    is_whole,
    environment::String as environment,
    totals.event_count as event_count,
    toUInt64(0) as user_count,
    totals.users_state as users_state,
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
    and (${is_intact})
    and (${are_users_united})
