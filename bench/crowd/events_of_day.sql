insert into errata_raw.error_events
(
    project_id, variant_hash, occurred_at, received_at, item_id, is_clock_corrected, level, platform, environment,
    release, server_name, service, transaction, logger, type, message, is_handled, user_hash, user_id, user_email,
    user_name, user_ip, trace_id, replay_id, request_method, request_url, browser, os, device, tags, payload
)
with drawn as (
    select
        number,
        sipHash64({seed:UInt32}, {day_number:UInt16}, number) as chance,
        intHash64(chance + 1) as chance_time,
        intHash64(chance + 2) as chance_user,
        intHash64(chance + 3) as chance_words,
        intHash64(chance + 4) as chance_lag,
        pow(2., 64) as whole,
        -- As often as 1 / rank.
        toUInt32(floor(exp(chance / whole * log({issue_count:UInt32} + 1)))) - 1 as drawn_issue,
        chance_time / whole as moment,
        -- More by day than by night.
        toDateTime64({day:Date}, 3, 'UTC') + toIntervalMillisecond(toUInt64(
            (moment + 0.6 * sin(2 * pi() * moment) / (2 * pi())) * 86400000 * {passed:Float64} * 0.9999
        )) as received_at,
        toUInt64(multiIf(
            chance_lag % 200 = 0, intDiv(chance_lag, 200) % 259200000,
            chance_lag % 40 = 1, intDiv(chance_lag, 200) % 7200000,
            200 + intDiv(chance_lag, 200) % 8000
        )) as lag_ms,
        chance_words % {whole_one_in:UInt32} = 0 as is_whole
    from numbers({event_count:UInt32})
),

alive as (
    select
        drawn.*,
        if(
            {day_number:UInt16} between wanted.born and wanted.gone,
            drawn.drawn_issue,
            toUInt32(drawn.chance_words % least(1000, {issue_count:UInt32}))
        ) as issue
    from drawn
    inner join errata_ops.crowd_issues as wanted on drawn.drawn_issue = wanted.issue
),

made as (
    select
        alive.*,
        variants.variant_hash as variant_hash,
        variants.original as original,
        variants.message as message,
        received_at - toIntervalMillisecond(lag_ms) as occurred_at,
        reinterpretAsUUID(sipHash128({seed:UInt32}, {day_number:UInt16}, number)) as item_id,
        toUInt32(floor(pow(chance_user / whole, 1.6) * 1000000)) as person,
        chance_words % 10 != 0 as is_identified,
        ['production', 'production', 'production', 'production', 'production', 'production', 'production', 'production', 'staging', 'development'][1 + intDiv(chance_words, 16) % 10] as environment,
        concat('shop@2.', toString(intDiv(
            toUInt16(greatest(0, {day_number:UInt16} - multiIf(
                chance_user % 100 < 80, 0, chance_user % 100 < 95, 6, intDiv(chance_user, 128) % 60
            ))),
            6
        )), '.0') as release,
        concat('web-', toString(1 + intDiv(chance_words, 256) % 24)) as server_name,
        ['eu', 'us', 'ap', 'sa'][1 + intDiv(chance_words, 8192) % 4] as region,
        ['free', 'team', 'business'][1 + intDiv(person, 7) % 3] as plan,
        toString(intHash64(person) % 500) as customer,
        ['search', 'cart', 'checkout', 'profile', 'catalogue', 'admin'][1 + intDiv(chance_words, 65536) % 6] as feature
    from alive
    inner join errata_ops.crowd_issues as issues on alive.issue = issues.issue
    inner join errata_ops.crowd_variants as variants
        on issues.first_variant + toUInt32(intDiv(chance_lag, 1024) % issues.variant_count) = variants.variant
)

select
    {project_id:UInt32} as project_id,
    variant_hash,
    occurred_at,
    -- One in 500 is delivered twice.
    received_at + toIntervalMillisecond(arrayJoin(if(chance_time % 500 = 0, [0, 5], [0]))) as received_at,
    item_id,
    false as is_clock_corrected,
    originals.level as level,
    originals.platform as platform,
    environment,
    release,
    server_name,
    ['', 'web', 'worker'][1 + intDiv(chance_words, 1024) % 3] as service,
    originals.transaction as transaction,
    originals.logger as logger,
    originals.type as type,
    made.message as message,
    originals.is_handled as is_handled,
    if(is_identified, intHash64(person + 1), 0) as user_hash,
    if(is_identified, toString(person), '') as user_id,
    if(is_identified, concat('user', toString(person), '@example.org'), '') as user_email,
    '' as user_name,
    if(is_identified, concat('10.', toString(person % 200), '.', toString(intDiv(person, 200) % 250), '.7'), '') as user_ip,
    reinterpretAsUUID(sipHash128({seed:UInt32}, {day_number:UInt16}, number, 1)) as trace_id,
    toUUID('00000000-0000-0000-0000-000000000000') as replay_id,
    originals.request_method as request_method,
    originals.request_url as request_url,
    if(originals.browser = '', '', ['Chrome', 'Firefox', 'Safari', 'Edge'][1 + intDiv(person, 3) % 4]) as browser,
    if(originals.os = '', '', ['Windows', 'macOS', 'Linux', 'Android', 'iOS'][1 + intDiv(person, 5) % 5]) as os,
    originals.device as device,
    map('region', region, 'plan', plan, 'customer', customer, 'feature', feature) as tags,
    concat(
        '{"event_id":"', replaceAll(toString(item_id), '-', ''),
        '","timestamp":"', formatDateTime(occurred_at, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC'),
        '","environment":"', environment,
        '","release":"', release,
        '","server_name":"', server_name,
        if(is_identified, concat('","user":{"id":"', user_id, '","email":"', user_email, '"},"tags":{"region":"'), '","tags":{"region":"'),
        region, '","plan":"', plan, '","customer":"', customer, '","feature":"', feature, '"},',
        originals.rest
    ) as payload
from made
inner join errata_ops.crowd_originals as originals
    on made.original = originals.original and made.is_whole = originals.is_whole
settings
    min_insert_block_size_rows = 2000000,
    min_insert_block_size_bytes = 900000000,
    max_threads = 1,
    max_insert_threads = 1,
    join_algorithm = 'hash',
    -- Joining the small tables with each other first would repeat whole payloads for every variant.
    query_plan_optimize_join_order_limit = 0,
    query_plan_join_swap_table = 'false'
