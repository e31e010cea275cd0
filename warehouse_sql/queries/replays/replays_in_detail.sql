-- purpose: what the list and the page of a replay tell of it, without its recording
-- definition: Of copies of a segment one counts. Moments are those of recorded events, by the clock of the host that delivered them.
-- returns: one row per replay: replay_id, began_at, ended_at, segment_count, recorded (number and bytes of
--   each segment), missing_count (segments before the last that did not arrive),
--   recording_bytes, replay_type, environment, release, browser, os, device, user_hash, user_id, user_email, user_name, user_ip, urls, error_ids,
--   event_count, click_count, rage_click_count, dead_click_count, console_error_count, request_count, navigation_count, is_unmasked

with segments as (
    select
        replay_id,
        segment_id,
        max(sent.event_count > 0) as is_recorded,
        minIf(if(first_event_at = toDateTime64(0, 3, 'UTC'), occurred_at, first_event_at), sent.event_count > 0) as began_at,
        maxIf(if(last_event_at = toDateTime64(0, 3, 'UTC'), occurred_at, last_event_at), sent.event_count > 0) as ended_at,
        max(recording_bytes) as recording_bytes,
        max(replay_type) as replay_type,
        max(environment) as environment,
        max(release) as release,
        max(browser) as browser,
        max(os) as os,
        max(device) as device,
        max((user_hash, user_id, user_email, user_name, user_ip)) as user,
        max(urls) as urls,
        max(error_ids) as error_ids,
        max(sent.event_count) as event_count,
        max(click_count) as click_count,
        max(rage_click_count) as rage_click_count,
        max(dead_click_count) as dead_click_count,
        max(console_error_count) as console_error_count,
        max(request_count) as request_count,
        max(navigation_count) as navigation_count,
        max(is_unmasked) as is_unmasked
    from errata_raw.replay_segments as sent
    where
        replay_id in {replays:Array(UUID)}
        and received_at >= {received_since:DateTime64(3, 'UTC')}
        and received_at <= {received_until:DateTime64(3, 'UTC')}
    group by replay_id, segment_id
)

select
    replay_id,
    minIf(segments.began_at, is_recorded) as began_at,
    maxIf(segments.ended_at, is_recorded) as ended_at,
    countIf(is_recorded) as segment_count,
    arraySort(groupArrayIf((segment_id, segments.recording_bytes), is_recorded)) as recorded,
    toUInt32(1 + maxIf(segment_id, is_recorded) - segment_count) as missing_count,
    sum(segments.recording_bytes) as recording_bytes,
    max(segments.replay_type) as replay_type,
    argMinIf(segments.environment, segment_id, segments.environment != '') as environment,
    argMinIf(segments.release, segment_id, segments.release != '') as release,
    argMinIf(segments.browser, segment_id, segments.browser != '') as browser,
    argMinIf(segments.os, segment_id, segments.os != '') as os,
    argMinIf(segments.device, segment_id, segments.device != '') as device,
    -- The latest: a visitor may sign in meanwhile.
    argMaxIf(segments.user, segment_id, segments.user.1 != 0) as latest_user,
    latest_user.1 as user_hash,
    latest_user.2 as user_id,
    latest_user.3 as user_email,
    latest_user.4 as user_name,
    latest_user.5 as user_ip,
    arrayDistinct(arrayFlatten(arrayMap(pair -> pair.2, arraySort(groupArray((segment_id, segments.urls)))))) as urls,
    arrayDistinct(arrayFlatten(arrayMap(pair -> pair.2, arraySort(groupArray((segment_id, segments.error_ids)))))) as error_ids,
    sum(segments.event_count) as event_count,
    sum(segments.click_count) as click_count,
    sum(segments.rage_click_count) as rage_click_count,
    sum(segments.dead_click_count) as dead_click_count,
    sum(segments.console_error_count) as console_error_count,
    sum(segments.request_count) as request_count,
    sum(segments.navigation_count) as navigation_count,
    max(segments.is_unmasked) as is_unmasked
from segments
group by replay_id
having segment_count > 0
