-- purpose: a file that was sent with an event
-- parameters: projects, event_id, item_id
-- returns: no row where there is none, else one; content in base64

select
    filename,
    content
from errata_raw.attachments
where
    has({projects:Array(UInt32)}, project_id)
    and event_id = {event_id:UUID}
    and item_id = {item_id:UUID}
limit 1
