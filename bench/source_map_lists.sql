insert into errata_raw.source_bundles
    (project_id, bundle_id, release, dist, uploaded_at, uploaded_by, script_count, map_count, byte_count, debug_ids)
select
    {project_id:UInt32},
    reinterpretAsUUID(cityHash64(number) + bitShiftLeft(toUInt128(number + 1), 64)),
    concat('shop-web@', toString(intDiv(number, 20)), '.', toString(number % 20)),
    '',
    now64(3) - interval intDiv(({bundles:UInt64} - number) * 86400 * 182, {bundles:UInt64}) second,
    'errata_ab',
    12,
    12,
    18000000,
    arrayMap(each -> generateUUIDv4(each), range(12))
from numbers({bundles:UInt64});

insert into errata_raw.variant_sources
(
    project_id, variant_hash, looked_at, event_id, release, minified_count, mapped_count, bundles, missing.name, missing.debug_id
)
with
    cityHash64(number) as variant,
    variant % {bundles:UInt64} as bundle,
    variant % 3 = 0 as is_missing
select
    {project_id:UInt32},
    variant,
    now64(3) - interval 1 hour,
    generateUUIDv4(),
    concat('shop-web@', toString(intDiv(bundle, 20)), '.', toString(bundle % 20)),
    5,
    if(is_missing, 0, 5),
    if(is_missing, [], [reinterpretAsUUID(cityHash64(bundle) + bitShiftLeft(toUInt128(bundle + 1), 64))]),
    if(is_missing, [concat('https://shop.example/assets/', toString(variant % 4000), '.js')], []),
    if(is_missing, [toUUID('00000000-0000-0000-0000-000000000000')], [])
from numbers({variants:UInt64});

insert into errata_raw.error_events
    (project_id, item_id, variant_hash, occurred_at, received_at, environment, release, type, message, platform)
select
    {project_id:UInt32},
    generateUUIDv4(number),
    cityHash64(number % {variants:UInt64}),
    now64(3) - interval (cityHash64(number, 1) % 15724800) second as moment,
    moment,
    'production',
    'shop-web@1.0',
    'TypeError',
    'x is undefined',
    'javascript'
from numbers({events:UInt64})
settings max_partitions_per_insert_block = 1000
