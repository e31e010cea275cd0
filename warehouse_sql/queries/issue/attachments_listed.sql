-- purpose: the files that were sent with events or feedback, without their content
-- parameters: project_id, event_ids
-- returns: one row per file, by name

select
    event_id,
    item_id,
    filename,
    content_type,
    attachment_type,
    byte_count
from errata_raw.attachments
where
    project_id = {project_id:UInt32}
    and event_id in {event_ids:Array(UUID)}
order by
    event_id,
    filename,
    item_id
-- One of each file's copies.
limit 1 by event_id, item_id
