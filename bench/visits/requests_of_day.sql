insert into errata_raw.requests
(
    project_id, side, route, method, occurred_at, received_at, item_id, host, path, status_code, duration_ms,
    environment, release, server_name, trace_id, span_id, parent_span_id, view_id, page, response_bytes
)
with made as (
    select
        visits.*,
        calls.*,
        sipHash64(chance, calls.place, 'call') as chance_call,
        fromUnixTimestamp64Milli(toInt64(opened_ms + (toUnixTimestamp64Milli(calls.occurred_at) - calls.origin_ms) * speed), 'UTC') as began_at,
        -- The page's side, and what the server tells of the same call.
        arrayJoin(if(calls.status_code = 0, ['page'], ['page', 'server'])) as told_by
    from errata_ops.visits_of_day(
        seed = {seed:UInt32}, day_number = {day_number:UInt16}, begins_ms = {begins_ms:Int64}, span_ms = {span_ms:Int64},
        views = {views:UInt32}, original_count = {original_count:UInt16}, area_count = {area_count:UInt16}
    ) as visits
    inner join errata_ops.visit_calls as calls on visits.original = calls.original
    where visit % {one_visit_in:UInt16} = 0
)
select
    project_id,
    told_by,
    route,
    method,
    began_at,
    least(greatest(began_at, fromUnixTimestamp64Milli({received_from_ms:Int64}, 'UTC')) + toIntervalMillisecond(2000 + chance_call % 8000), fromUnixTimestamp64Milli({now_ms:Int64}, 'UTC')),
    reinterpretAsUUID(sipHash128(chance, place, told_by)),
    if(told_by = 'page', host, ''),
    path,
    status_code,
    round(duration_ms * speed * if(told_by = 'page', 1, 0.7), 3),
    environment_of_visit,
    release_of_visit,
    if(told_by = 'page', '', concat('web-', toString(1 + chance_call % 6))),
    trace_id_of_visit,
    sipHash64(chance, place, told_by),
    if(told_by = 'page', view_id_of_visit, sipHash64(chance, place, 'page')),
    if(told_by = 'page', view_id_of_visit, 0),
    if(told_by = 'page', concat(area, page), ''),
    response_bytes
from made
settings
    min_insert_block_size_rows = 1500000,
    max_partitions_per_insert_block = 0,
    max_insert_threads = 1,
    join_algorithm = 'hash',
    query_plan_join_swap_table = 'false'
