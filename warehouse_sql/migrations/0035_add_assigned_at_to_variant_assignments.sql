-- errata_raw.variant_assignments
-- purpose: totals of issues tell whose variants were assigned since they were put together
-- grain:   unchanged
-- key:     project_id, variant_hash
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.variant_assignments
    add column assigned_at DateTime64(3, 'UTC') default toDateTime64(0, 3, 'UTC') comment 'when this row was written; 1970: before this column was there'
    after cut_at;
