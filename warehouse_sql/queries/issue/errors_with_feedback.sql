-- purpose: the errors of an issue that messages of users name
-- parameters: project_id (the condition put in has parameters of its own)
-- returns: one row per stored error: item_id

select item_id
from errata_raw.error_events
where
    project_id = {project_id:UInt32}
    and (${is_own})
    and item_id != toUUID('00000000-0000-0000-0000-000000000000')
    and item_id in (
        select associated_event_id
        from errata_raw.feedback
        where project_id = {project_id:UInt32}
    )
