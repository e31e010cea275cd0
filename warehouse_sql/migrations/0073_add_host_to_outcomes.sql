-- errata_raw.outcomes
-- purpose: the host whose items had an outcome, or whose lines or deliveries were refused
-- grain:   one row per batch, project, service, host, item type and outcome, and delivered copy: read one a batch
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.outcomes
    add column if not exists host LowCardinality(String) default '' comment 'that reported it; empty: none was named, or from before';
