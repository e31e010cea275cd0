-- script_bytes_of_views
-- purpose: how much JavaScript page loads asked for, as compressed, from the cache or not
-- parameters: project_id, view_ids, since, until (moments of receipt, half-open)
-- returns: one row per load with scripts: view_id, js_bytes
-- inputs:  errata_raw.page_resources

select
    view_id,
    sum(body_bytes) as js_bytes
from (
    -- A client that retries sends the same resource again.
    select distinct
        view_id,
        item_id,
        url,
        start_us,
        body_bytes
    from errata_raw.page_resources
    where
        project_id = {project_id:UInt32}
        and view_id in {view_ids:Array(UInt64)}
        and type = 'script'
        and received_at >= {since:DateTime64(3, 'UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
) as scripts
group by view_id
having js_bytes > 0
