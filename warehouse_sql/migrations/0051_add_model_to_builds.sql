-- errata_ops.builds
-- purpose: which model a build was made with, so that a changed model is noticed by the next one
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.builds
    add column if not exists model_hash String default '' comment 'of the statements of the model; empty: from before, or made by Python';
