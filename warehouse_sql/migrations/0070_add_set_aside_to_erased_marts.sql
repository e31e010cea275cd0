-- errata_ops.erased_marts
-- purpose: what an erasure waits for: windows set aside keep their rows, erased ones too, until they are built
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.erased_marts
    add column if not exists set_aside_count UInt32 comment 'windows set aside that it waits for, of this mart and of those it is made of';
