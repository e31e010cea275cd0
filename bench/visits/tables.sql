create table if not exists errata_ops.visit_days
(
    day Date,
    views UInt32,
    seconds Float32
)
engine = MergeTree
order by day;

create table if not exists errata_ops.original_visits
(
    original UInt16,
    project_id UInt32,
    view_id UInt64,
    trace_id UUID,
    origin_ms Float64
)
engine = MergeTree
order by original;

create or replace view errata_ops.visits_of_day
as
with
    pow(2., 64) as whole,
    sipHash64({seed:UInt32}, {day_number:UInt16}, number) as chance,
    intHash64(chance + 1) / whole as moment,
    intHash64(chance + 2) as chance_original,
    intHash64(chance + 3) as chance_area,
    intHash64(chance + 4) as chance_speed,
    intHash64(chance + 5) as chance_release,
    intHash64(chance + 6) as chance_visitor
select
    number as visit,
    chance,
    toUInt16(chance_original % {original_count:UInt16}) as original,
    -- As often as 1 / rank.
    toUInt16(floor(exp(chance_area / whole * log({area_count:UInt16} + 1)))) - 1 as area_number,
    if(area_number = 0, '', concat('/', ['garden', 'kitchen', 'office', 'kids', 'outlet', 'bath', 'lighting', 'textiles'][1 + area_number % 8], if(area_number < 8, '', toString(intDiv(area_number, 8))))) as area,
    -- More by day than by night.
    {begins_ms:Int64} + toInt64(
        (moment + 0.6 * sin(2 * pi() * moment) / (2 * pi())) * {span_ms:Int64} * 0.9999
    ) as opened_ms,
    toUInt16(intDiv(
        greatest(0, {day_number:UInt16} - multiIf(chance_release % 100 < 85, 0, chance_release % 100 < 97, 6, intDiv(chance_release, 128) % 40)),
        6
    )) as release_number,
    concat('shop-web@2.', toString(release_number), '.0') as release_of_visit,
    -- Log-normal; every fifth release is slower.
    exp(0.45 * sqrt(-2 * log((chance_speed % 1000000 + 1) / 1000001)) * cos(2 * pi() * (intDiv(chance_speed, 1000000) % 1000000) / 1000000))
        * (0.8 + area_number % 5 * 0.1) * if(release_number % 5 = 3, 1.15, 1) as speed,
    if(intDiv(chance_release, 65536) % 100 < 92, 'production', 'staging') as environment_of_visit,
    multiIf(chance_visitor % 100 < 62, 'Chrome', chance_visitor % 100 < 83, 'Safari', chance_visitor % 100 < 91, 'Edge', chance_visitor % 100 < 96, 'Firefox', 'Samsung Internet') as browser_of_visit,
    toUInt32(floor(pow(intHash64(chance_visitor) / whole, 1.6) * 3000000)) as person,
    sipHash64({seed:UInt32}, {day_number:UInt16}, number, 'view') as view_id_of_visit,
    reinterpretAsUUID(sipHash128({seed:UInt32}, {day_number:UInt16}, number, 'trace')) as trace_id_of_visit
from numbers({views:UInt32})
