-- erasure_preview
-- purpose: how many rows of each table an erasure would remove
-- parameters: project_id, events, variants, users, replays, replays_since, replays_until, asked_at
-- returns: one row per table with rows: source, row_count, item_count
-- inputs:  errata_raw.error_events, errata_raw.page_views, errata_raw.page_resources, errata_raw.requests, errata_raw.spans,
--   errata_raw.sessions, errata_raw.replay_segments

select
    source,
    sum(found.row_count) as row_count,
    uniqExactIf(item_id, found.row_count > 0) as item_count
from (
    ${part:rows_to_erase}
) as found
group by source
having row_count > 0
order by source
