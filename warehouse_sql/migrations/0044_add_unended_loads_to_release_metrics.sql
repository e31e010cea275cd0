-- errata_mart.release_metrics
-- purpose: how many page loads of a release had not ended when they were reported, and what its load times are at most
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.release_metrics
    add column if not exists timed_count UInt64 default 0 comment 'page loads with a load time, unended ones too' after user_count,
    add column if not exists unended_count UInt64 default 0 comment 'page loads that had not ended when they were reported: they count with the time until which they are known to have lasted' after timed_count,
    add column if not exists load_ms_p50_at_most Float64 default load_ms_p50 comment 'what load_ms_p50 is at most, whenever the unended loads ended; nan: no bound' after load_ms_p95,
    add column if not exists load_ms_p75_at_most Float64 default load_ms_p75 comment 'the same of load_ms_p75' after load_ms_p50_at_most,
    add column if not exists load_ms_p95_at_most Float64 default load_ms_p95 comment 'the same of load_ms_p95' after load_ms_p75_at_most;
