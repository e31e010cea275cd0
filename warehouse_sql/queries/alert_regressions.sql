-- alert_regressions
-- purpose: the regressions written down in a span, of issues that had a matching event since they were resolved
-- parameters: project_id, since, until (the condition put in has parameters of its own)
-- returns: one row per resolution: issue_id, action_id (of the resolution), at, value (matching events since it)
-- inputs:  errata_read.error_events, errata_read.issue_variants, errata_read.actions_in_force

with returned as materialized (
    select
        returns.issue_id as issue_id,
        returns.about_action_id as action_id,
        any(resolutions.acted_at) as resolved_at,
        min(returns.acted_at) as returned_at
    from errata_read.actions_in_force(projects = [{project_id:UInt32}]) as returns
    inner join errata_read.actions_in_force(projects = [{project_id:UInt32}]) as resolutions
        on returns.about_action_id = resolutions.action_id
        and returns.issue_id = resolutions.issue_id
    where
        returns.action = 'regress'
        and returns.acted_at >= {since:DateTime64(3, 'UTC')}
        and returns.acted_at < {until:DateTime64(3, 'UTC')}
    group by issue_id, action_id
),

returned_variants as materialized (
    select
        variants.variant_hash as variant_hash,
        returned.issue_id as issue_id,
        returned.action_id as action_id,
        returned.resolved_at as resolved_at,
        returned.returned_at as returned_at
    from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
    inner join returned on variants.issue_id = returned.issue_id
)

select
    issue_id,
    action_id,
    toDateTime64(any(returned_variants.returned_at), 3, 'UTC') as at,
    count() as value
from errata_read.error_events(projects = [{project_id:UInt32}]) as events
inner join returned_variants on events.variant_hash = returned_variants.variant_hash
where
    events.received_at >= (select min(resolved_at) from returned)
    and events.received_at < {until:DateTime64(3, 'UTC')}
    and events.variant_hash in (select variant_hash from returned_variants)
    and events.occurred_at > returned_variants.resolved_at
    and events.received_at <= returned_variants.returned_at
    and (${event_condition})
group by issue_id, action_id
order by at, issue_id
settings enable_materialized_cte = 1
