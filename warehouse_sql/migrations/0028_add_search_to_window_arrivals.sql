-- errata_ops.window_arrivals
-- purpose: a mart made anew takes over what was recorded for the table before it, if its windows are still found in the same way
-- grain:   one row per window, UTC day of receipt (of error events: of all days) and build
-- key:     mart, window_start
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.window_arrivals
    add column if not exists search LowCardinality(String) comment 'hash of the query that found it; empty: of before this was recorded';
