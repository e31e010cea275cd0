-- alert_new_issues
-- purpose: the issues whose first matching event was received in a span: what a rule on new issues fires for
-- parameters: project_id, since, until, kept_days (the condition put in has parameters of its own)
-- returns: one row per issue: at (receipt of that event), value (matching events received since the start of its span)
-- inputs:  errata_read.error_events, errata_read.issue_variants

with variants as materialized (
    select
        variant_hash,
        issue_id,
        first_seen_at
    from errata_read.issue_variants(projects = [{project_id:UInt32}])
),

touched as materialized (
    select issue_id
    from variants
    where
        variant_hash in (
            select events.variant_hash
            from errata_read.error_events(projects = [{project_id:UInt32}]) as events
            where
                events.received_at >= {since:DateTime64(3, 'UTC')}
                and events.received_at < {until:DateTime64(3, 'UTC')}
                and (${event_condition})
        )
    group by issue_id
),

sighted as (
    select
        events.variant_hash as variant_hash,
        min(events.received_at) as first_at,
        count() as event_count
    from errata_read.error_events(projects = [{project_id:UInt32}]) as events
    where
        events.received_at < {until:DateTime64(3, 'UTC')}
        and events.variant_hash in (select variant_hash from variants where issue_id in (select issue_id from touched))
        and (${event_condition})
    group by variant_hash
)

select
    variants.issue_id as issue_id,
    minIf(sighted.first_at, sighted.event_count > 0) as at,
    sum(sighted.event_count) as value
from variants
left join sighted on variants.variant_hash = sighted.variant_hash
where variants.issue_id in (select issue_id from touched)
group by issue_id
having
    value > 0
    and at >= {since:DateTime64(3, 'UTC')}
    -- Of an older one the first matching event may be gone with its day.
    and min(variants.first_seen_at) >= at - toIntervalDay({kept_days:UInt16})
order by at, issue_id
settings enable_materialized_cte = 1
