-- errata_read.stored_rows
-- purpose: how many rows each project has in the raw tables that have a retention of projects
-- returns: one row per table and project: table, project_id, row_count
-- inputs:  errata_raw.error_events, errata_raw.page_views, errata_raw.page_resources, errata_raw.requests, errata_raw.spans, errata_raw.sessions, errata_raw.replay_segments

create or replace view errata_read.stored_rows
definer = current_user sql security definer
as
select 'error_events' as table, project_id, count() as row_count from errata_raw.error_events group by project_id
union all
select 'page_views' as table, project_id, count() as row_count from errata_raw.page_views group by project_id
union all
select 'page_resources' as table, project_id, count() as row_count from errata_raw.page_resources group by project_id
union all
select 'requests' as table, project_id, count() as row_count from errata_raw.requests group by project_id
union all
select 'spans' as table, project_id, count() as row_count from errata_raw.spans group by project_id
union all
select 'sessions' as table, project_id, count() as row_count from errata_raw.sessions group by project_id
union all
select 'replay_segments' as table, project_id, count() as row_count from errata_raw.replay_segments group by project_id
