-- purpose: when the parts of a replay arrived, so that what is asked of it next reads few partitions
-- returns: one row: received_since, received_until (both 1970: nothing is stored)

select
    min(received_at) as received_since,
    max(received_at) as received_until
from errata_raw.replay_segments
where replay_id = {replay_id:UUID}
