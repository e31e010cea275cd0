-- errata_ops.builds
-- purpose: a slot is used again once nobody needs its build
-- grain:   one row per finished build; of each mart at least those of the last ten minutes are kept
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.builds
    comment column slot 'of builds that nobody needs any more, the slot of the oldest; else one more';
