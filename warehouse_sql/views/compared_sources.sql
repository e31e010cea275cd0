-- errata_read.compared_sources
-- purpose: the sources of an issue and of the other issues of its platforms, with what they can be compared by
-- parameters: variants (of the issue), platforms, since, until, environments (empty: all), rest_days (of receipt; empty: all), issue_step, rest_step (every so-many-th source), tenant_tags
-- returns: one row per issue, environment and source: a user, once; of nobody known, a replay, a trace or an event
-- inputs:  errata_raw.error_events, errata_read.issue_variants

create or replace view errata_read.compared_sources
sql security invoker
as
with both as (
    select * from errata_raw.error_events
    where variant_hash in {variants:Array(UInt64)}
    union all
    select * from errata_raw.error_events
    where
        variant_hash not in {variants:Array(UInt64)}
        and (empty({rest_days:Array(Date)}) or toDate(received_at) in {rest_days:Array(Date)})
),

events as (
    select
        variant_hash in {variants:Array(UInt64)} as is_of_issue,
        both.variant_hash as variant_hash,
        item_id,
        -- Whoever sends a tag of a tenant is alike within it, and strikes or is spared together.
        arrayFirst(each -> each != '', arrayMap(name -> tags[name], {tenant_tags:Array(String)})) as tenant,
        user_hash != 0 or tenant != '' as is_known,
        toHour(occurred_at) + if(toDayOfWeek(occurred_at) > 5, 24, 0) as hour_of_week,
        -- A user's hundred events are one source; so are those of a replay or a trace.
        multiIf(
            user_hash != 0, user_hash,
            replay_id != toUUID('00000000-0000-0000-0000-000000000000'), cityHash64(replay_id),
            trace_id != toUUID('00000000-0000-0000-0000-000000000000'), cityHash64(trace_id),
            cityHash64(item_id)
        ) as source,
        -- Of a visitor nobody knows, only the client is known: other visitors have the same one, but no visitor
        -- has two. Without a browser, a server names its own system.
        if(
            not is_known and (browser != '' or server_name = '' and (os != '' or device != '')),
            cityHash64(browser, os, device),
            0
        ) as client,
        -- All that one user, tenant or failing job may have sent, and a client within three days: what one client
        -- sends for longer is left out in turn.
        multiIf(
            tenant != '', cityHash64('tenant', tenant),
            user_hash != 0, user_hash,
            client != 0, cityHash64('client', client, intDiv(toRelativeDayNum(occurred_at), 3)),
            request_url != '' or server_name = '', cityHash64('client', os, device),
            cityHash64('job', server_name, transaction)
        ) as cluster,
        environment,
        release,
        server_name,
        service,
        transaction,
        if(
            transaction = '' and request_url != '',
            replaceRegexpAll(path(request_url), '/(\\d[^/]*|[0-9a-fA-F-]{8,})', '/{id}'),
            ''
        ) as page,
        browser,
        os,
        device,
        if(position(user_email, '@') > 0, lower(substringIndex(user_email, '@', -1)), '') as user_domain,
        tags
    from both
    where
        occurred_at >= {since:DateTime64(3, 'UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and received_at >= {since:DateTime64(3, 'UTC')} - interval 1 day
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and platform in {platforms:Array(String)}
        -- By source, so that one of many events is not met more often than its share.
        and cityHash64(source, 'compared') % if(
            variant_hash in {variants:Array(UInt64)}, {issue_step:UInt32}, {rest_step:UInt32}
        ) = 0
),

mapped as (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants
)

select
    events.* except (variant_hash, item_id, tenant),
    if(mapped.issue_id != 0, mapped.issue_id, events.variant_hash) as issue_id
from events
left join mapped on events.variant_hash = mapped.variant_hash
-- Any event of a source, the same one each time: which is left to chance, not to the clock.
order by cityHash64(events.item_id)
limit 1 by is_of_issue, issue_id, environment, source
