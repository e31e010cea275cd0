-- purpose: issues whose events happened in requests of an endpoint: those that name it by transaction, or by method and URL
-- definition: Issues with error events that happened in requests of this endpoint: matched by transaction, or by method and URL.
-- parameters: since, until, names (of the transaction), method, path (a pattern; empty: none), limit, server_routes, ${filters_of_days} (empty: all)
-- returns: one row per issue, the one with most events first: title, culprit, level, events, users, traced (events with the trace of a recorded call), named (events by transaction), last_seen

with events as (
    select
        *,
        has({names:Array(String)}, transaction::String) as is_named
    from errata_raw.error_events
    where
        occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= {since:DateTime('UTC')} - toIntervalDay(1)
        and (
            has({names:Array(String)}, transaction::String)
            or ({path:String} != '' and request_method != '' and match(path(request_url), {path:String}))
        )
        and (request_method = '' or request_method = {method:String})
        and ${filters_of_days}
        and (${is_kept})
    order by received_at
    limit 1 by project_id, item_id
),

traces as (
    select distinct trace_id
    from errata_raw.requests
    where
        side = 'server'
        and method = {method:String}
        and has({server_routes:Array(String)}, route::String)
        and occurred_at >= {since:DateTime('UTC')} - toIntervalDay(1)
        and trace_id in (select trace_id from events)
        and trace_id != toUUID('00000000-0000-0000-0000-000000000000')
)

select
    variants.issue_id as issue_id,
    argMin(variants.title, (variants.own_issue_id != variants.issue_id, variants.first_seen_at)) as title,
    argMin(variants.culprit, (variants.own_issue_id != variants.issue_id, variants.first_seen_at)) as culprit,
    argMin(variants.level, (variants.own_issue_id != variants.issue_id, variants.first_seen_at)) as level,
    count() as events,
    uniqExactIf(events.user_hash, events.user_hash != 0) as users,
    countIf(events.trace_id in (select trace_id from traces)) as traced,
    countIf(events.is_named) as named,
    max(events.occurred_at) as last_seen
from events
inner join errata_read.issue_variants as variants
    on events.project_id = variants.project_id and events.variant_hash = variants.variant_hash
group by issue_id
order by events desc, issue_id
limit {limit:UInt32}
