-- purpose: recordings that were stored as sent, before they were inflated at ingest
-- returns: the columns of rows of errata_raw.replay_segments that hold such a recording, by project and item

select
    project_id,
    replay_id,
    segment_id,
    occurred_at,
    received_at,
    item_id,
    is_clock_corrected,
    payload
from errata_raw.replay_segments
where
    part = 'recording'
    and payload != ''
    and (project_id, item_id) > ({after_project:UInt32}, {after_item:UUID})
order by project_id, item_id
limit {limit:UInt16}
