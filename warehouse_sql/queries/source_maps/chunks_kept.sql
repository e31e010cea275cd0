-- purpose: how many pieces of uploads are kept
-- returns: one row: chunk_count

select count() as chunk_count
from errata_raw.upload_chunks
