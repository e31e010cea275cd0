insert into errata_ops.original_visits
select
    row_number() over (order by view_id) - 1 as original,
    project_id,
    view_id,
    trace_id,
    started_at_ms as origin_ms
from errata_raw.page_views
where is_load
order by view_id, received_at
limit 1 by view_id;

create table errata_ops.visit_parts
engine = MergeTree
order by (original, place)
as
select
    visits.original as original,
    row_number() over (partition by original order by parts.occurred_at, parts.item_id) as place,
    visits.origin_ms as origin_ms,
    parts.*
from errata_raw.page_views as parts
inner join errata_ops.original_visits as visits on parts.project_id = visits.project_id
where parts.view_id = visits.view_id
    or (parts.view_id = 0 and parts.trace_id = visits.trace_id)
limit 1 by original, item_id;

create table errata_ops.visit_resources
engine = MergeTree
order by (original, place)
as
select
    visits.original as original,
    row_number() over (partition by original order by files.start_us, files.item_id) as place,
    visits.origin_ms as origin_ms,
    -- Everyone loads code; what else, and how much of it, is another thing on each page.
    files.type::String in ('script', 'style') as is_common,
    -- Builds name their files by content, and products have pictures of their own.
    multiIf(is_common and is_same_origin, 'release', files.type::String = 'image' and place % 2 = 0, 'product', '') as varies_by,
    extract(url, '\\.[a-z0-9]+$') as ending,
    substring(url, 1, length(url) - length(ending)) as beginning,
    files.*
from errata_raw.page_resources as files
inner join errata_ops.original_visits as visits on files.project_id = visits.project_id and files.view_id = visits.view_id
limit 1 by original, item_id;

create table errata_ops.visit_calls
engine = MergeTree
order by (original, place)
as
select
    visits.original as original,
    row_number() over (partition by original order by calls.occurred_at, calls.item_id) as place,
    visits.origin_ms as origin_ms,
    calls.*
from errata_raw.requests as calls
inner join errata_ops.original_visits as visits on calls.project_id = visits.project_id and calls.view_id = visits.view_id
where calls.side = 'page'
limit 1 by original, item_id
