-- upload_chunk
-- purpose: one piece of an upload
-- parameters: checksum
-- returns: at most one row: content in base64
-- inputs:  errata_raw.upload_chunks

select base64Encode(upload_chunks.content) as content
from errata_raw.upload_chunks as upload_chunks
where checksum = {checksum:String}
limit 1
