-- errata_mart.change_points, errata_mart.release_metrics
-- purpose: a row tells which page loads it counts, whatever is counted since
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.change_points
    add column if not exists counted_through DateTime64(3, 'UTC') default built_through comment 'every page load received before this moment is counted' after built_through,
    comment column built_through 'moment of the build';

alter table errata_mart.release_metrics
    add column if not exists counted_through DateTime64(3, 'UTC') default built_through comment 'every page load received before this moment is counted' after built_through,
    comment column built_through 'moment of the build';
