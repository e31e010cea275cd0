-- purpose: the texts by which events name users, to look for in titles and in what people wrote
-- returns: one row per text: text

select distinct arrayJoin([user_id, user_email, user_name, user_ip]) as text
from errata_raw.error_events
where
    project_id = {project_id:UInt32}
    and user_hash != 0
    and has({users:Array(UInt64)}, user_hash)
limit 10001
