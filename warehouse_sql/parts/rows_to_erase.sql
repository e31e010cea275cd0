-- purpose: the rows of raw tables that belong to events, variants or users, with what belongs to nobody else
-- The replays of an event, of an issue's events and of a user go with them, and their ids, so that parts delivered later are refused. Of a user also go parts, requests, spans and errors without a user in
-- the trace or view of one of the user's page views, and log records without a user in the trace of one of the user's page views or errors. Feedback goes with the error that it is about, and attachments with the event or feedback that they were sent with. Items that name another user stay.
-- parameters: project_id, events, variants, users, replays, replays_since, replays_until (1970: none), asked_at
-- returns: one row per item, table and days: source, item_id, occurred_on, received_on, row_count

with their_views as (
    select
        view_id,
        trace_id,
        replay_id,
        item_id
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and has({users:Array(UInt64)}, user_hash)
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
),

their_traces as (
    select trace_id
    from their_views
    where trace_id != toUUID('00000000-0000-0000-0000-000000000000')
),

their_requests as (
    select item_id
    from errata_raw.requests
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and has({users:Array(UInt64)}, user_hash)
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
),

others_items as (
    -- Of their traces, items that name another user.
    select item_id
    from errata_raw.requests
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and not has({users:Array(UInt64)}, user_hash)
        and trace_id in (select trace_id from their_traces)
    union all
    select item_id
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and not has({users:Array(UInt64)}, user_hash)
        and trace_id in (select trace_id from their_traces)
),

events as (
    select
        item_id,
        occurred_at,
        received_at,
        replay_id
    from errata_raw.error_events
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            has({events:Array(UUID)}, item_id)
            or has({variants:Array(UInt64)}, variant_hash)
            or (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or (user_hash = 0 and trace_id in (select trace_id from their_traces))
        )
),

feedback as (
    select
        item_id,
        occurred_at,
        received_at
    from errata_raw.feedback
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or associated_event_id in (select item_id from events)
        )
),

their_logged_traces as (
    select trace_id
    from their_traces
    union all
    select trace_id
    from errata_raw.error_events
    where
        project_id = {project_id:UInt32}
        and user_hash != 0
        and has({users:Array(UInt64)}, user_hash)
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and trace_id != toUUID('00000000-0000-0000-0000-000000000000')
),

their_replays as (
    select replay_id
    from (
        select replay_id
        from events
        union all
        select replay_id
        from their_views
        union all
        select arrayJoin({replays:Array(UUID)}) as replay_id
        union all
        select replay_id
        from errata_raw.replay_segments
        where
            project_id = {project_id:UInt32}
            and (
                (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
                or (
                    occurred_at >= {replays_since:DateTime64(3, 'UTC')}
                    and occurred_at < {replays_until:DateTime64(3, 'UTC')}
                )
            )
    )
    where replay_id != toUUID('00000000-0000-0000-0000-000000000000')
)

select
    source,
    item_id,
    toDate(occurred_at) as occurred_on,
    toDate(received_at) as received_on,
    toUInt32(count()) as row_count
from (
    select
        'errata_raw.error_events' as source,
        item_id,
        occurred_at,
        received_at
    from events
    union all
    select
        'errata_raw.page_views' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or (user_hash = 0 and view_id != 0 and view_id in (select view_id from their_views))
            or (user_hash = 0 and trace_id in (select trace_id from their_traces))
        )
    union all
    select
        'errata_raw.page_resources' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.page_resources
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            item_id in (select item_id from their_views)
            or (
                view_id != 0
                and view_id in (select view_id from their_views)
                and item_id not in (select item_id from others_items)
            )
        )
    union all
    select
        'errata_raw.requests' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.requests
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or (user_hash = 0 and trace_id in (select trace_id from their_traces))
        )
    union all
    select
        'errata_raw.spans' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.spans
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            item_id in (select item_id from their_views)
            or item_id in (select item_id from their_requests)
            or (trace_id in (select trace_id from their_traces) and item_id not in (select item_id from others_items))
        )
    union all
    select
        'errata_raw.sessions' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.sessions
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and user_hash != 0
        and has({users:Array(UInt64)}, user_hash)
    union all
    select
        'errata_raw.feedback' as source,
        item_id,
        occurred_at,
        received_at
    from feedback
    union all
    select
        'errata_raw.attachments' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.attachments
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            has({events:Array(UUID)}, event_id)
            or event_id in (select item_id from events)
            or event_id in (select item_id from feedback)
        )
    union all
    select
        'errata_raw.logs' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.logs
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or (user_hash = 0 and trace_id in (select trace_id from their_logged_traces))
        )
    union all
    select
        'errata_raw.replay_segments' as source,
        item_id,
        occurred_at,
        received_at
    from errata_raw.replay_segments
    where
        project_id = {project_id:UInt32}
        and received_at <= {asked_at:DateTime64(3, 'UTC')}
        and (
            (user_hash != 0 and has({users:Array(UInt64)}, user_hash))
            or replay_id in (select replay_id from their_replays)
            or (
                replay_id = toUUID('00000000-0000-0000-0000-000000000000')
                and occurred_at >= {replays_since:DateTime64(3, 'UTC')}
                and occurred_at < {replays_until:DateTime64(3, 'UTC')}
            )
        )
)
group by source, item_id, occurred_on, received_on
union all
select distinct
    'errata_raw.replay_segments' as source,
    replay_id as item_id,
    toDate({asked_at:DateTime64(3, 'UTC')}) as occurred_on,
    toDate({asked_at:DateTime64(3, 'UTC')}) as received_on,
    toUInt32(0) as row_count
from their_replays
