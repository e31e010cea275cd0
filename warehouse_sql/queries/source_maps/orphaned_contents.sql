-- purpose: contents that no script or map has any more
-- returns: one row per content: content_id

select content_id
from errata_raw.source_contents
where
    content_id not in (select script_id from errata_raw.source_maps)
    and content_id not in (select map_id from errata_raw.source_maps)
group by content_id
having max(received_at) < {received_before:DateTime64(3, 'UTC')}
