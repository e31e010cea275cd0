-- recording_of_replay
-- purpose: what has arrived of a session's recording, for the row of the event that names it
-- parameters: replay_id
-- returns: one row: segment_count 0 where nothing arrived, or nothing is kept any more
-- inputs:  errata_raw.replay_segments

select
    uniqExactIf(segment_id, part = 'recording') as segment_count,
    -- A recording itself names no moment; its description does.
    minIf(if(segments.started_at = toDateTime64(0, 3, 'UTC'), occurred_at, segments.started_at), part = 'event') as started_at,
    maxIf(occurred_at, part = 'event') as ended_at,
    anyIf(segments.replay_type, part = 'event') as replay_type,
    arrayDistinct(arrayFlatten(groupArray(50)(urls))) as urls
from errata_raw.replay_segments as segments
where replay_id = {replay_id:UUID}
