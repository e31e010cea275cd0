-- purpose: names of pages, tags and the like that have a text in them
-- returns: one row per name: name_hash

select distinct cityHash64(name) as name_hash
from errata_raw.names_seen
where
    project_id = {project_id:UInt32}
    and arrayExists(text -> positionCaseInsensitiveUTF8(name, text) > 0, {texts:Array(String)})
