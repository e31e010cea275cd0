-- errata_ops.check_results
-- purpose: outcomes of data checks, for those who watch the pipelines without Dagster
-- grain:   one row per run of a check
-- key:     check_name, checked_at
-- engine:  MergeTree, append-only, kept 7 days
-- order:   the latest of one check
-- inputs:  none

create table errata_ops.check_results
(
    check_name LowCardinality(String) comment 'as Dagster shows it, such as page_loads_has_no_gaps',
    checked_at DateTime64(3, 'UTC') default now64(3),
    is_passed Bool
)
engine = MergeTree
order by (check_name, checked_at)
ttl toDate(checked_at) + interval 7 day;
