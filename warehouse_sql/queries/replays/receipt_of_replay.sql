-- receipt_of_replay
-- purpose: when the parts of a replay arrived, so that what is asked of it next reads few partitions
-- parameters: replay_id
-- returns: one row: received_since, received_until (both 1970: nothing is stored)
-- inputs:  errata_raw.replay_segments

select
    min(received_at) as received_since,
    max(received_at) as received_until
from errata_raw.replay_segments
where replay_id = {replay_id:UUID}
