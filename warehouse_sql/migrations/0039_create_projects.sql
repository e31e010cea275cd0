-- errata_raw.projects
-- purpose: the slug and name of each project, copied from the state store for analysts, who cannot read that
-- grain:   one row per project; of several the one stored last counts
-- key:     project_id
-- engine:  ReplacingMergeTree by stored_at, no TTL: the service stores missing and changed projects again
-- order:   projects by id
-- inputs:  none

create table errata_raw.projects
(
    project_id UInt32,
    slug String comment 'as in addresses of pages',
    name String,
    stored_at DateTime64(3, 'UTC') default now64(3)
)
engine = ReplacingMergeTree(stored_at)
order by project_id
settings fsync_after_insert = 1, fsync_part_directory = 1;
