-- orphaned_contents
-- purpose: contents that no script or map has any more
-- parameters: received_before
-- returns: one row per content: content_id
-- inputs:  errata_raw.source_contents, errata_raw.source_maps

select content_id
from errata_raw.source_contents
where
    content_id not in (select script_id from errata_raw.source_maps)
    and content_id not in (select map_id from errata_raw.source_maps)
group by content_id
having max(received_at) < {received_before:DateTime64(3, 'UTC')}
