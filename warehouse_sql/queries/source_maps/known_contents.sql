-- purpose: which contents need not be stored again
-- returns: one row per known content: content_id

select distinct content_id
from errata_raw.source_contents
where content_id in {content_ids:Array(UUID)}
