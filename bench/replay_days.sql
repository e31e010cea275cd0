insert into errata_raw.replay_segments
(
    project_id, replay_id, segment_id, part, occurred_at, received_at, item_id, replay_type, environment, release, user_hash, user_id, user_email, urls, error_ids,
    payload, recording, recording_bytes, event_count, first_event_at, last_event_at, click_count, rage_click_count, dead_click_count,
    request_count, navigation_count, is_unmasked, browser, os, device
)
with
    {segments:UInt32} as segment_count,
    intDiv(number, 2 * segment_count) as replay,
    intDiv(number, 2) % segment_count as segment,
    number % 2 = 0 as is_event,
    -- More by day than by night.
    toDateTime64({day:Date}, 3, 'UTC') + interval intDiv(toUInt32(86400 * (0.5 + 0.5 * (cityHash64(replay, 1) % 1000 / 500 - 1) * 0.9)), 1) second as began
select
    {project_id:UInt32},
    reinterpretAsUUID(unhex(leftPad(hex(cityHash64({day:Date}, replay)), 32, '0'))),
    segment,
    if(is_event, 'event', 'recording'),
    began + interval 10 * segment + 9 second,
    least(began + interval 10 * segment + 10 second, now64(3)),
    reinterpretAsUUID(unhex(leftPad(hex(cityHash64({day:Date}, number, 2)), 32, '0'))),
    if(is_event, if(replay % 5 = 0, 'buffer', 'session'), ''),
    if(is_event, if(replay % 10 = 0, 'staging', 'production'), ''),
    if(is_event, concat('shop-web@1.', toString(toDayOfYear({day:Date}) % 7), '.0'), ''),
    if(is_event, cityHash64(replay % 5000), 0),
    if(is_event, toString(replay % 5000), ''),
    if(is_event, concat('customer', toString(replay % 5000), '@example.org'), ''),
    if(is_event, [concat('https://shop.example/', ['', 'products', 'cart', 'checkout', 'account'][1 + (replay + segment) % 5])], []),
    if(is_event and cityHash64(replay, segment) % 40 = 0, [hex(cityHash64(number))], []),
    if(is_event, concat('{"user":{"id":"', toString(replay % 5000), '","email":"customer', toString(replay % 5000), '@example.org"}}'), ''),
    if(is_event, '', concat('[', repeat('{"type":3,"timestamp":1795225711241,"data":{"source":1}},', 20), toString(number), ']')),
    if(is_event, 0, 120000),
    if(is_event, 0, 60),
    if(is_event, toDateTime64(0, 3, 'UTC'), began + interval 10 * segment second),
    if(is_event, toDateTime64(0, 3, 'UTC'), began + interval 10 * segment + 9 second),
    if(is_event, 0, 3),
    if(is_event, 0, cityHash64(number, 3) % 200 = 0),
    if(is_event, 0, cityHash64(number, 4) % 60 = 0),
    if(is_event, 0, 4),
    if(is_event, 0, 1),
    replay % 10 = 3,
    if(is_event, ['Chrome', 'Safari', 'Firefox', 'Edge'][1 + replay % 4], ''),
    if(is_event, ['Windows', 'iOS', 'Linux', 'Android'][1 + replay % 4], ''),
    if(is_event, ['desktop', 'mobile'][1 + replay % 2], '')
from numbers({replays:UInt64} * 2 * segment_count)
