-- users_of_issue
-- purpose: users of an issue in standard periods and of all time, by environment, as a build put it together, with those that came since
-- parameters: issue_id, spans (periods with their starts), counted_through, arrived_users (period, environment, user)
-- returns: one row per period and environment, and one (is_whole) of all environments together: user_count; variants (of all time,
--   is_whole): what the build put the issue together from
-- inputs:  errata_mart.issue_totals

select
    period,
    environment,
    is_whole,
    arrayReduce(
        'uniqMerge',
        [
            users_state,
            arrayReduce(
                'uniqState',
                arrayMap(
                    user -> user.3,
                    arrayFilter(
                        user -> user.1 = period and (is_whole or user.2 = environment),
                        {arrived_users:Array(Tuple(String, String, UInt64))}
                    )
                )
            )
        ]
    ) as user_count,
    variant_hashes as variants
from errata_mart.issue_totals as totals
where
    issue_id = {issue_id:UInt64}
    and (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
    and counted_through = {counted_through:DateTime64(3, 'UTC')}
