-- purpose: which pieces of an upload are there
-- returns: one row per known piece: checksum

select distinct checksum::String as checksum
from errata_raw.upload_chunks
where checksum in {checksums:Array(String)}
