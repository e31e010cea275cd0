insert into errata_raw.page_views
(
    project_id, view_id, occurred_at, received_at, item_id, is_load, trace_id, navigation_type, navigation_detail,
    page, url, environment, release, sdk, browser, browser_version, os, device, connection, user_hash, finish_reason,
    started_at_ms, duration_ms, load_at_ms, dom_ready_at_ms, response_at_ms, ttfb_ms, fp_ms, fcp_ms, lcp_ms, cls,
    inp_ms, lcp_element, lcp_url, inp_target, cls_source, resource_intervals, call_ms, lcp_size, inp_type, inp_at_ms,
    cls_sources, frames
)
with made as (
    select
        visits.*,
        parts.*,
        sipHash64(chance, parts.place) as chance_part,
        opened_ms + (parts.started_at_ms - parts.origin_ms) * speed as began_ms,
        fromUnixTimestamp64Milli(toInt64(opened_ms + toUnixTimestamp64Milli(parts.occurred_at) - parts.origin_ms), 'UTC') as began_at
    from errata_ops.visits_of_day(
        seed = {seed:UInt32}, day_number = {day_number:UInt16}, begins_ms = {begins_ms:Int64}, span_ms = {span_ms:Int64},
        views = {views:UInt32}, original_count = {original_count:UInt16}, area_count = {area_count:UInt16}
    ) as visits
    inner join errata_ops.visit_parts as parts on visits.original = parts.original
)
select
    project_id,
    if(view_id = 0, 0, view_id_of_visit),
    began_at,
    least(
        greatest(began_at, fromUnixTimestamp64Milli({received_from_ms:Int64}, 'UTC'))
        -- What comes after the load comes when the page is left.
        + toIntervalMillisecond(toUInt64(multiIf(
            chance_part % 200 = 0, intDiv(chance_part, 200) % 129600000,
            is_load, 2000 + intDiv(chance_part, 200) % 8000,
            5000 + intDiv(chance_part, 200) % 115000
        )))
        -- One in 500 is delivered twice.
        + toIntervalMillisecond(arrayJoin(if(intDiv(chance_part, 512) % 500 = 0, [0, 5], [0]))),
        fromUnixTimestamp64Milli({now_ms:Int64}, 'UTC')
    ),
    reinterpretAsUUID(sipHash128(chance, place, 'part')),
    is_load,
    trace_id_of_visit,
    navigation_type,
    navigation_detail,
    if(page = '', '', concat(area, page)),
    if(url = '', '', concat('https://shop.example', area, path(url))),
    if(environment = '', '', environment_of_visit),
    if(release = '', '', release_of_visit),
    sdk,
    if(browser = '', '', browser_of_visit),
    browser_version,
    os,
    device,
    connection,
    if(person % 4 = 0, intHash64(person + 1), 0),
    finish_reason,
    began_ms,
    round(duration_ms * speed, 3),
    opened_ms + round((load_at_ms - origin_ms) * speed, 1),
    opened_ms + round((dom_ready_at_ms - origin_ms) * speed, 1),
    opened_ms + round((response_at_ms - origin_ms) * speed, 1),
    round(ttfb_ms * speed, 1),
    round(fp_ms * speed, 1),
    round(fcp_ms * speed, 1),
    round(lcp_ms * speed, 1),
    round(cls * speed, 4),
    round(inp_ms * speed / 8) * 8,
    lcp_element,
    lcp_url,
    inp_target,
    cls_source,
    arrayMap(one -> (opened_ms + round((one.1 - origin_ms) * speed, 1), opened_ms + round((one.2 - origin_ms) * speed, 1)), resource_intervals),
    arrayMap(one -> round(one * speed, 1), call_ms),
    lcp_size,
    inp_type,
    opened_ms + round((inp_at_ms - origin_ms) * speed, 1),
    cls_sources,
    arrayMap(
        frame -> (
            opened_ms + round((frame.start_ms - origin_ms) * speed, 1),
            round(frame.duration_ms * speed, 1),
            frame.invoker,
            frame.invoker_type,
            frame.file,
            frame.function,
            frame.position
        ),
        frames
    )
from made
settings
    min_insert_block_size_rows = 1500000,
    min_insert_block_size_bytes = 900000000,
    max_partitions_per_insert_block = 0,
    max_insert_threads = 1,
    join_algorithm = 'hash',
    query_plan_join_swap_table = 'false'
