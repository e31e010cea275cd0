-- purpose: the user, replay, trace, failing job and tenant that most events of an issue are of
-- returns: one row per kind of source: kind, tag (of a tenant; else empty), name, event_count, all_events, source_count

with events as (
    select
        item_id,
        user_hash,
        coalesce(nullIf(user_email, ''), nullIf(user_id, ''), nullIf(user_name, ''), user_ip) as user,
        arrayFirst(name -> tags[name] != '', {tenant_tags:Array(String)}) as tenant_tag,
        tags[tenant_tag] as tenant,
        if(replay_id = toUUID('00000000-0000-0000-0000-000000000000'), '', toString(replay_id)) as replay,
        if(trace_id = toUUID('00000000-0000-0000-0000-000000000000'), '', toString(trace_id)) as trace,
        if(server_name = '' or browser != '' or request_url != '', '', concat(transaction, ' on ', server_name)) as job
    from errata_raw.error_events
    where
        variant_hash in {variants:Array(UInt64)}
        and occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= {since:DateTime64(3, 'UTC')} - interval 1 day
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and cityHash64(item_id) % {event_step:UInt32} = 0
    limit 1 by item_id
),

counted as (
    select
        source.1 as kind,
        source.2 as tag,
        source.3 as key,
        any(if(kind = 'user', user, key)) as name,
        count() as event_count
    from events
    array join arrayFilter(each -> each.3 != '', [
        ('user', '', if(user_hash = 0, '', toString(user_hash))),
        ('replay', '', if(user_hash = 0, replay, '')),
        ('trace', '', if(user_hash = 0, trace, '')),
        ('job', '', if(user_hash = 0, job, '')),
        ('tenant', tenant_tag::String, tenant)
    ]) as source
    group by kind, tag, key
)

select
    kind,
    argMax(counted.tag, (counted.event_count, key)) as tag,
    argMax(counted.name, (counted.event_count, key)) as name,
    max(counted.event_count) as event_count,
    (select count() from events) as all_events,
    count() as source_count
from counted
group by kind
