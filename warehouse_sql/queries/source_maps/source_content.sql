-- source_content
-- purpose: the text of a script or map
-- parameters: content_id
-- returns: at most one row: content in base64
-- inputs:  errata_raw.source_contents

select base64Encode(source_contents.content) as content
from errata_raw.source_contents as source_contents
where content_id = {content_id:UUID}
limit 1
