-- errata_raw.deliveries
-- purpose: which shipper a batch was delivered by, so that the board of hosts tells the ones to update
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.deliveries
    add column if not exists shipper_version LowCardinality(String) default '' comment 'from its User-Agent; empty: another client, or from before';
