-- users_of_issues
-- purpose: users of named issues in a standard period: the sets of the build united with the users of later events
-- definition: Users are told apart by the first of ID, email address, name and IP address that the SDK sent; events without any of them have no user.
--   Each user counts once, exactly up to about 65,000 users, within 1% beyond.
-- parameters: issue_ids, period, since, is_whole, environment, issues_through, variants_through (what the totals of issues and of variants count)
-- tables:  fresh, moved
-- returns: one row per issue: user_count
-- inputs:  errata_mart.issue_totals, errata_mart.variant_totals

select
    issue_id,
    uniqMerge(users_state) as user_count
from (
    select
        issue_id,
        users_state
    from errata_mart.issue_totals
    where
        period = {period:String}
        and since = {since:DateTime('UTC')}
        and is_whole = {is_whole:Bool}
        and environment = {environment:String}
        and issue_id in {issue_ids:Array(UInt64)}
        and issue_id not in (select issue_id from moved where not is_joining)
    union all
    select
        moved.issue_id as issue_id,
        users_state
    from errata_mart.variant_totals as totals
    inner join moved on totals.variant_hash = moved.variant_hash
    where
        period = {period:String}
        and since = {since:DateTime('UTC')}
        and ({is_whole:Bool} or environment = {environment:String})
        and totals.variant_hash in (select variant_hash from moved where issue_id in {issue_ids:Array(UInt64)})
        and totals.after_deletion_at >= moved.cut_at
    union all
    select
        issue_id,
        initializeAggregation('uniqState', user_hash) as users_state
    from fresh
    where
        issue_id in {issue_ids:Array(UInt64)}
        and user_hash != 0
        and ({is_whole:Bool} or environment = {environment:String})
        and occurred_at >= {since:DateTime('UTC')}
        and received_at >= if(
            variant_hash in (select variant_hash from moved),
            {variants_through:DateTime64(3, 'UTC')},
            {issues_through:DateTime64(3, 'UTC')}
        )
)
group by issue_id
