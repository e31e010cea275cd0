-- purpose: the text of a script or map
-- returns: at most one row: content in base64

select base64Encode(source_contents.content) as content
from errata_raw.source_contents as source_contents
where content_id = {content_id:UUID}
limit 1
