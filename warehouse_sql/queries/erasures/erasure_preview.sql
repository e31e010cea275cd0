-- erasure_preview
-- purpose: how many rows of each table an erasure would remove
-- parameters: project_id, events, variants, users, asked_at
-- returns: one row per table with rows: source, row_count, item_count
-- inputs:  errata_raw.error_events, errata_raw.page_views, errata_raw.page_resources, errata_raw.requests, errata_raw.spans,
--   errata_raw.sessions, errata_raw.replay_segments

select
    source,
    sum(row_count) as row_count,
    uniqExact(item_id) as item_count
from (
    ${part:rows_to_erase}
)
group by source
order by source
