-- purpose: events and users of issues in standard periods and of all time as of the build; without issues that an identified user or a variant
--   came to since, where users are counted
-- parameters: spans (period, start), wholes, environments (none: all), user_spans (those of them that users are counted of)
-- names: own, is_intact, are_users_known (conditions on issue_id)
-- returns: rows per issue, span, is_whole (all environments together) and environment. Users, of user_spans alone: either user_count or users_state
select
    issue_id,
    period::String as span,
    is_whole,
    environment::String as environment,
    totals.event_count as event_count,
    if((period, since) in {user_spans:Array(Tuple(String, DateTime('UTC')))}, totals.user_count, 0) as user_count,
    initializeAggregation('uniqStateIf', toUInt64(0), false) as users_state,
    bucket_counts,
    recorded_at,
    first_occurred_at,
    last_occurred_at,
    first_release,
    last_release
from errata_mart.issue_totals as totals
where
    (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
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
    and (${are_users_known})
