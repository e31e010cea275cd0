-- purpose: counts of the variants in `moved`, as of the build
-- parameters: wholes, spans (period, start), user_spans (those of them that users are counted of)
-- names: own (a condition on issue_id)
-- returns: rows per issue, span, is_whole (all environments together) and environment. Users, of user_spans alone: either user_count or users_state
select
    moved.issue_id as issue_id,
    totals.period::String as span,
    arrayJoin({wholes:Array(Bool)}) as is_whole,
    if(is_whole, '', totals.environment::String) as environment,
    totals.event_count as event_count,
    toUInt64(0) as user_count,
    if(
        (period, since) in {user_spans:Array(Tuple(String, DateTime('UTC')))},
        users_state,
        initializeAggregation('uniqStateIf', toUInt64(0), false)
    ) as users_state,
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
