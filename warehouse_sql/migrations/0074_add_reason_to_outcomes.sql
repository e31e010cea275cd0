-- errata_raw.outcomes
-- purpose: which inbound filter of a project an item was filtered by
-- grain:   one row per batch, project, service, host, item type, outcome and reason, and delivered copy: read one a batch
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.outcomes
    add column if not exists reason LowCardinality(String) default '' comment 'of filtered: the kind of the filter; else empty';
