-- totals_moved
-- purpose: the same of issues that are put together otherwise than the totals have them, by their variants
-- parameters: spans (period, start)
-- names:   own (a condition on issue_id)
-- returns: rows per issue, span, is_whole (all environments together) and environment: users are user_count and those of users_state
-- inputs:  errata_mart.variant_totals
select
    moved.issue_id as issue_id,
    totals.period::String as span,
    arrayJoin([true, false]) as is_whole,
    if(is_whole, '', totals.environment::String) as environment,
    totals.event_count as event_count,
    toUInt64(0) as user_count,
    users_state,
    bucket_counts,
    moved.recorded_at as recorded_at,
    first_occurred_at,
    last_occurred_at,
    first_release,
    last_release
from errata_mart.variant_totals as totals
inner join moved on totals.variant_hash = moved.variant_hash
where
    (period, since) in {spans:Array(Tuple(String, DateTime('UTC')))}
    and totals.variant_hash in (
        select variant_hash
        from moved
        where ${own}
    )
    and totals.after_deletion_at >= moved.cut_at
