-- errata_raw.error_events
-- purpose: repeats of an event are looked for among rows that occurred from its moment on, in whichever partition
-- grain:   unchanged
-- key:     project_id, variant_hash, occurred_at
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.error_events add index occurred_at_minmax occurred_at type minmax granularity 1;
