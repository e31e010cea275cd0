insert into errata_raw.page_resources
(
    project_id, view_id, occurred_at, received_at, item_id, page, environment, release, type, initiator, url, host,
    start_us, duration_ms, transfer_bytes, body_bytes, decoded_bytes, is_render_blocking, is_cached, is_same_origin,
    status_code
)
with made as (
    select
        visits.*,
        files.*,
        sipHash64(chance, files.place, 'file') as chance_file,
        opened_ms + (files.start_us / 1000 - files.origin_ms) * speed as began_ms,
        fromUnixTimestamp64Milli(toInt64(began_ms), 'UTC') as began_at,
        -- Someone who was here before has what does not change.
        files.is_cached or (person % 3 = 0 and is_common) as is_kept
    from errata_ops.visits_of_day(
        seed = {seed:UInt32}, day_number = {day_number:UInt16}, begins_ms = {begins_ms:Int64}, span_ms = {span_ms:Int64},
        views = {views:UInt32}, original_count = {original_count:UInt16}, area_count = {area_count:UInt16}
    ) as visits
    inner join errata_ops.visit_resources as files on visits.original = files.original
    where is_common or sipHash64(area_number, files.url) % 1000 < {kept_in_1000:UInt16}
)
select
    project_id,
    view_id_of_visit,
    began_at,
    least(
        greatest(began_at, fromUnixTimestamp64Milli({received_from_ms:Int64}, 'UTC'))
        + toIntervalMillisecond(toUInt64(if(
            chance % 200 = 0,
            intDiv(chance, 200) % 129600000,
            2000 + intDiv(chance, 200) % 8000
        )))
        -- One in 500 is delivered twice.
        + toIntervalMillisecond(arrayJoin(if(chance_file % 500 = 0, [0, 5], [0]))),
        fromUnixTimestamp64Milli({now_ms:Int64}, 'UTC')
    ),
    reinterpretAsUUID(sipHash128(chance, place, 'file')),
    if(page = '', '', concat(area, page)),
    if(environment = '', '', environment_of_visit),
    if(release = '', '', release_of_visit),
    type,
    initiator,
    multiIf(
        varies_by = 'release', concat(beginning, '.', toString(release_number), ending),
        varies_by = 'product', concat(beginning, '-', toString(toUInt32(floor(exp(chance_file / pow(2., 64) * log(2000))))), ending),
        url
    ),
    host,
    toInt64(began_ms * 1000),
    round(duration_ms * speed * (0.7 + chance_file % 600 / 1000) * if(is_kept and not is_cached, 0.1, 1), 1),
    if(is_kept, 0, transfer_bytes),
    body_bytes,
    decoded_bytes,
    is_render_blocking,
    is_kept,
    is_same_origin,
    status_code
from made
settings
    min_insert_block_size_rows = 3000000,
    min_insert_block_size_bytes = 900000000,
    max_partitions_per_insert_block = 0,
    max_insert_threads = 1,
    join_algorithm = 'hash',
    query_plan_join_swap_table = 'false'
