-- errata_mart.repeated_events
-- purpose: the error events that were delivered more than once, so that whoever reads raw rows need not look for them
-- grain:   one row per project and event with copies
-- key:     project_id, hour, item_id
-- engine:  MergeTree, a partition per day, swapped in whole; only dirty hours are computed from raw
-- inputs:  errata_raw.error_events

create table errata_mart.repeated_events
(
    project_id UInt32,
    hour DateTime('UTC') comment 'in which it occurred',
    occurred_at DateTime64(3, 'UTC') comment 'of every copy',
    item_id UUID,
    variant_hash UInt64 comment 'of the copy that counts: the one received first',
    first_received_at DateTime64(3, 'UTC') comment 'when that copy was received',
    copy_count UInt32,
    built_through DateTime64(3, 'UTC') comment 'copies received before it are known here'
)
engine = MergeTree
partition by toDate(hour)
order by (project_id, hour, item_id)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

select
    project_id,
    toStartOfHour(any(events.occurred_at)) as hour,
    any(events.occurred_at) as occurred_at,
    item_id,
    argMin(events.variant_hash, received_at) as variant_hash,
    min(received_at) as first_received_at,
    toUInt32(count()) as copy_count,
    {watermark:DateTime64(3, 'UTC')} as built_through
from errata_raw.error_events as events
where
    toStartOfHour(events.occurred_at) in {windows:Array(DateTime('UTC'))}
    and events.occurred_at >= {window_start:DateTime('UTC')}
    and events.occurred_at < {window_end:DateTime('UTC')}
    -- Skips partitions: the windows' recorded first and last arrival.
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_to:DateTime64(3, 'UTC')}
group by project_id, item_id
having count() > 1
