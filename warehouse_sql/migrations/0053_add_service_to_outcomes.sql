-- errata_raw.outcomes
-- purpose: the service whose items had an outcome, or whose lines were refused
-- grain:   one row per batch, project, service, item type and outcome, and delivered copy: read one a batch
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.outcomes
    add column if not exists service LowCardinality(String) default '' comment 'of the application key; empty: a key without a service, or from before';
