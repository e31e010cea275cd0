-- known_chunks
-- purpose: which pieces of an upload are there
-- parameters: checksums
-- returns: one row per known piece: checksum
-- inputs:  errata_raw.upload_chunks

select distinct checksum::String as checksum
from errata_raw.upload_chunks
where checksum in {checksums:Array(String)}
