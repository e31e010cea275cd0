-- users_of_variants
-- purpose: users of an issue that no build has put together as it is by now, in standard periods and of all time, by environment, with those that came since
-- parameters: spans (periods with their starts), arrived_users (period, environment, user)
-- names:   is_own
-- returns: one row per period and environment, and one (is_whole) of all environments together: user_count
-- inputs:  errata_mart.variant_totals

select
    period,
    environment,
    grouping(environment) as is_whole,
    uniqMerge(users_state) as user_count
from (
    select
        period::String as period,
        environment::String as environment,
        users_state
    from errata_mart.variant_totals
    where
        (${is_own})
        and (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
    union all
    select
        user.1 as period,
        user.2 as environment,
        uniqState(user.3) as users_state
    from (select arrayJoin({arrived_users:Array(Tuple(String, String, UInt64))}) as user)
    group by period, environment
)
group by grouping sets ((period, environment), (period))
