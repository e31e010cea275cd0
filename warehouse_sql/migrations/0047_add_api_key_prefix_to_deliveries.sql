-- errata_raw.deliveries
-- purpose: which API key a batch was delivered with, so that a rotation sees the hosts that still use the old one
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.deliveries
    add column if not exists api_key_prefix LowCardinality(String) default '' comment 'the beginning of the API key, enough to recognize it by; empty: from before, or sent by the service itself';
