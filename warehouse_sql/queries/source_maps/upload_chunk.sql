-- purpose: one piece of an upload
-- returns: at most one row: content in base64

select base64Encode(upload_chunks.content) as content
from errata_raw.upload_chunks as upload_chunks
where checksum = {checksum:String}
limit 1
