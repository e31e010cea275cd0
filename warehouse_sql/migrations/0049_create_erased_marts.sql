-- errata_ops.erased_marts
-- purpose: the marts that were rebuilt without erased rows, and when nothing of them was left on the disk
-- grain:   one row per erasure and mart, and one without a mart when the files are gone
-- key:     erasure_id, mart
-- engine:  MergeTree, append-only
-- order:   the marts of one erasure
-- inputs:  none

create table errata_ops.erased_marts
(
    erasure_id UUID,
    mart LowCardinality(String) comment 'empty: no file holds the rows any more',
    recorded_at DateTime64(6, 'UTC') default now64(6),
    window_count UInt32 comment 'windows rebuilt',
    number UInt64 comment 'of the build: versions before it may hold erased rows'
)
engine = MergeTree
order by (erasure_id, mart)
settings fsync_after_insert = 1;
