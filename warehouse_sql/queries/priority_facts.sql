-- priority_facts
-- purpose: what the priority of an issue is computed from, beside its head
-- parameters: project_id, issue_id, event_limit
-- returns: one row: day_count (of the last 24 hours), week_count (of the seven days before), user_count (of 14 days),
--   unhandled_count and sampled_count of the latest events
-- inputs:  errata_read.error_events, errata_read.issue_variants

with events as (
    select
        item_id,
        occurred_at,
        user_hash,
        is_handled
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        variant_hash in (
            select variant_hash
            from errata_read.issue_variants(projects = [{project_id:UInt32}])
            where issue_id = {issue_id:UInt64}
        )
        and occurred_at >= now() - interval 14 day
    order by occurred_at desc
    limit 1 by item_id
),

latest as (
    select *
    from events
    limit {event_limit:UInt32}
)

select
    countIf(occurred_at >= now() - interval 1 day) as day_count,
    countIf(occurred_at < now() - interval 1 day and occurred_at >= now() - interval 8 day) as week_count,
    uniqExactIf(user_hash, user_hash != 0) as user_count,
    countIf(not is_handled) as unhandled_count,
    count() as sampled_count
from latest
