-- known_contents
-- purpose: which contents need not be stored again
-- parameters: content_ids
-- returns: one row per known content: content_id
-- inputs:  errata_raw.source_contents

select distinct content_id
from errata_raw.source_contents
where content_id in {content_ids:Array(UUID)}
