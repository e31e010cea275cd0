-- purpose: the recorded events of one segment
-- definition: Of copies of a segment the one received first counts.
-- returns: at most one row: recording (a JSON array of rrweb events)

select recording
from errata_raw.replay_segments
where
    replay_id = {replay_id:UUID}
    and segment_id = {segment_id:UInt32}
    and event_count > 0
order by received_at
limit 1
