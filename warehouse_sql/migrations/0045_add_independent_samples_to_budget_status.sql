-- errata_mart.budget_status
-- purpose: how many independent samples a window has, and what its value is at least: by these it is judged
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.budget_status
    add column if not exists independent_count UInt64 default sample_count comment 'independent samples that those of the window are worth, as they come from fewer users' after sample_count,
    add column if not exists value_at_least Float64 default value comment 'lower bound of value; a window is a breach if it is above threshold; nan: no bound' after value,
    comment column least_samples 'with fewer independent samples the outcome is unknown';
