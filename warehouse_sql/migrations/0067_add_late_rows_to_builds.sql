-- errata_ops.builds
-- purpose: whose late rows a build left to a later one: the answers to them say the moment before which all is counted
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.builds
    add column if not exists late Array(Tuple(
        project_id UInt64,
        last_day Date,
        since DateTime64(3, 'UTC')
    )) comment 'of each project with rows in waiting windows, here or in the mart that this one is built from: their last day, and when the first was received' after waiting;
