-- purpose: how many rows of each raw table are a project's
-- returns: one row per table: table, row_count (of all projects), project_row_count

select
    own.table as table,
    greatest(stored.row_count, own.row_count) as row_count,
    own.row_count as project_row_count
from (
    select 'error_events' as table, count() as row_count from errata_raw.error_events
    union all
    select 'page_views' as table, count() as row_count from errata_raw.page_views
    union all
    select 'page_resources' as table, count() as row_count from errata_raw.page_resources
    union all
    select 'requests' as table, count() as row_count from errata_raw.requests
    union all
    select 'spans' as table, count() as row_count from errata_raw.spans
    union all
    select 'sessions' as table, count() as row_count from errata_raw.sessions
    union all
    select 'replay_segments' as table, count() as row_count from errata_raw.replay_segments
    union all
    select 'check_ins' as table, count() as row_count from errata_raw.check_ins
    union all
    select 'logs' as table, count() as row_count from errata_raw.logs
    union all
    select 'feedback' as table, count() as row_count from errata_raw.feedback
    union all
    select 'attachments' as table, count() as row_count from errata_raw.attachments
) as own
left join errata_read.stored_tables as stored on own.table = stored.table
order by table
