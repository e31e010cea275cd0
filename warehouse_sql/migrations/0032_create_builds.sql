-- errata_ops.builds
-- purpose: the last act of a build: how far its mart is, and which versions of its rows count from then on
-- grain:   one row per finished build; of each mart the last 16 are kept
-- key:     mart, slot
-- engine:  ReplacingMergeTree by number: a slot's next build replaces its row
-- order:   the latest of one mart
-- inputs:  errata_ops.build_watermarks

create table errata_ops.builds
(
    mart LowCardinality(String),
    slot UInt8 comment 'counts builds up to 16, again and again',
    number UInt64 comment 'of the build, greater than of all before it: milliseconds since 1970 when it began',
    finished_at DateTime64(6, 'UTC') default now64(6),
    table_uuid UUID comment 'a mart made anew starts again from the first row of raw',
    watermark DateTime64(3, 'UTC') comment 'every row received before it is in the mart, or waits',
    attempt String,
    window_count UInt32,
    row_count UInt64,
    seconds Float32,
    waiting Array(Tuple(
        window_start DateTime('UTC'),
        since DateTime64(3, 'UTC'),
        row_count UInt64
    )) comment 'windows left to a later build: rows of them received from `since` on are not in the mart',
    partitions Nested(
        day Date,
        version UInt64
    ) comment 'all that the mart consists of, whichever build made it; day: of a mart in one piece 1970-01-01'
)
engine = ReplacingMergeTree(number)
order by (mart, slot)
settings index_granularity = 64, fsync_after_insert = 1;

insert into errata_ops.builds (mart, slot, number, finished_at, table_uuid, watermark, attempt)
select
    mart,
    0 as slot,
    toUnixTimestamp64Milli(max(build.watermark)) as number,
    max(build.finished_at) as finished_at,
    argMax(table_uuid, build.watermark) as table_uuid,
    max(build.watermark) as watermark,
    'before' as attempt
from errata_ops.build_watermarks as build
group by mart;

drop table if exists errata_ops.build_watermarks;

drop table if exists errata_ops.build_swaps;
