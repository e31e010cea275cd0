-- errata_mart.variant_releases
-- purpose: when each variant was first and last seen in each release: the order of releases, and who regressed
-- grain:   one row per project, variant, release and deletion of its issue that they came after
-- key:     project_id, variant_hash, release
-- engine:  MergeTree, a partition per version
-- analysts: none: rows from before a deletion count in no figure, and each reader leaves them out
-- inputs:  errata_mart.variant_daily

create table errata_mart.variant_releases
(
    project_id UInt32 comment 'project',
    variant_hash UInt64 comment 'variant: one distinct stack and message shape',
    release LowCardinality(String) comment 'release of the counted events; empty when none was named',
    after_deletion_at DateTime64(6, 'UTC') comment 'last deletion of the issue before the events were received, even if undone; 1970: none',
    event_count UInt64 comment 'error events, each counted once',
    first_occurred_at DateTime64(3, 'UTC') comment 'first event, by the client''s clock',
    last_occurred_at DateTime64(3, 'UTC') comment 'last event, by the client''s clock',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted',
    version UInt64 comment 'version written by a build; readers see published versions only'
)
engine = MergeTree
partition by version
order by (project_id, variant_hash, release)
settings fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;

select
    project_id,
    variant_hash,
    release,
    after_deletion_at,
    sum(daily.event_count) as event_count,
    min(daily.first_occurred_at) as first_occurred_at,
    max(daily.last_occurred_at) as last_occurred_at,
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} as version
from errata_mart.variant_daily as daily
where variant_hash between {slice_from:UInt64} and {slice_to:UInt64}
group by project_id, variant_hash, release, after_deletion_at
