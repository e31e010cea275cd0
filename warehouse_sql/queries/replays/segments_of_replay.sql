-- segments_of_replay
-- purpose: the recorded segments of a replay, to fetch one after the other
-- parameters: replay_id
-- returns: one row per segment, in order: segment_id, recording_bytes
-- inputs:  errata_raw.replay_segments

select
    segment_id,
    argMin(segments.recording_bytes, received_at) as recording_bytes
from errata_raw.replay_segments as segments
where
    replay_id = {replay_id:UUID}
    and event_count > 0
group by segment_id
order by segment_id
