-- alert_regressions
-- purpose: the first matching event, received in a span, that speaks against each resolution of an issue
-- parameters: project_id, since, until (the condition put in has parameters of its own)
-- returns: one row per resolution: issue_id, action_id, at (receipt of that event), value (events against it)
-- inputs:  errata_read.error_events, errata_read.issue_variants, errata_read.issue_actions

with decisions as (
    select
        issue_id,
        action_id,
        action,
        acted_at,
        leadInFrame(acted_at, 1, toDateTime64('2299-12-31 00:00:00', 6, 'UTC')) over (
            partition by issue_id
            order by acted_at
            rows between unbounded preceding and unbounded following
        ) as ended_at
    from errata_read.issue_actions(projects = [{project_id:UInt32}])
    where
        action in ('resolve', 'unresolve', 'ignore', 'wake')
        and acted_at < {until:DateTime64(3, 'UTC')}
),

resolved as materialized (
    select
        variants.variant_hash as variant_hash,
        decisions.issue_id as issue_id,
        decisions.action_id as action_id,
        decisions.acted_at as acted_at,
        decisions.ended_at as ended_at
    from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
    inner join decisions on variants.issue_id = decisions.issue_id
    where
        decisions.action = 'resolve'
        and decisions.ended_at > {since:DateTime64(3, 'UTC')}
)

select
    resolved.issue_id as issue_id,
    resolved.action_id as action_id,
    min(events.received_at) as at,
    count() as value
from errata_read.error_events(projects = [{project_id:UInt32}]) as events
inner join resolved on events.variant_hash = resolved.variant_hash
where
    events.received_at < {until:DateTime64(3, 'UTC')}
    and events.received_at >= (select min(acted_at) from resolved)
    and events.variant_hash in (select variant_hash from resolved)
    and events.occurred_at > resolved.acted_at
    and events.received_at < resolved.ended_at
    and (${event_condition})
group by issue_id, action_id
having at >= {since:DateTime64(3, 'UTC')}
order by at, issue_id
settings enable_materialized_cte = 1
