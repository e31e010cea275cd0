-- errata_ops.window_arrivals
-- purpose: a mart made anew finds the arrivals of all windows again: their rows are counted once
-- grain:   one row per window, UTC day of receipt (of error events: of all days) and build
-- key:     mart, window_start
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.window_arrivals
    add column if not exists table_uuid UUID comment 'of the mart''s table; nil: of before this was recorded';
