-- purpose: the replays of a project that pass its filters, the latest first: only ids, so that few columns of all segments are read
-- definition: Replays with a recorded segment that began in the period. A replay begins with its first recorded event.
-- parameters: received_since, since, until, has_cursor, after_ms, after_replay, limit (the condition put in has parameters of its own)
-- returns: one row per replay: replay_id, began_at

select
    replay_id,
    minIf(if(first_event_at = toDateTime64(0, 3, 'UTC'), occurred_at, first_event_at), event_count > 0) as began_at
from errata_raw.replay_segments
where
    received_at >= {received_since:DateTime64(3, 'UTC')}
    and replay_id != toUUID('00000000-0000-0000-0000-000000000000')
group by replay_id
having
    began_at >= {since:DateTime64(3, 'UTC')}
    and began_at < {until:DateTime64(3, 'UTC')}
    and max(event_count > 0)
    and (${is_found})
    and (
        not {has_cursor:Bool}
        or (toUnixTimestamp64Milli(began_at), replay_id) < ({after_ms:Int64}, {after_replay:UUID})
    )
order by began_at desc, replay_id desc
limit {limit:UInt16}
