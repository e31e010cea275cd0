-- errata_mart.change_points
-- purpose: a change is a step with the interval of its day, or a drift with its slope; series that changed together are one finding
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.change_points
    drop column p_e_divisive,
    drop column p_mann_whitney,
    drop column p_mann_kendall,
    drop column vote_count,
    add column kind LowCardinality(String) default if(metric = '', '', 'step') comment 'step or drift; empty: the row only records a build' after metric,
    add column first_day Date default day comment 'step: the day lies between it and last_day (95%); drift: first day of the line' after day,
    add column last_day Date default day comment 'step: the day lies between first_day and it (95%); drift: last day of the line' after first_day,
    add column slope Float64 comment 'drift: relative change per week; 0 for a step' after change_ratio,
    add column p_value Float64 comment 'share of series without this change in which a change gains as much' after slope,
    add column went_away_on Date comment 'first day of the step that led back to the level before; 1970: none' after p_value,
    add column finding UInt32 comment 'number of the finding in its build; series that changed together share it' after went_away_on,
    add column moved_together UInt32 default 1 comment 'number of series of the finding, with this one' after finding,
    comment column day 'step: first UTC day of the new level; drift: last day of the line',
    comment column level_before 'level of the daily p75 on the day before the step or on the first day of the drift, adjusted for weekdays',
    comment column level_after 'level of the daily p75 after the step or on the last day of the drift, adjusted for weekdays',
    comment column release 'nearest release whose first page load lies within the interval of the day; empty: none',
    comment column release_at 'first page load of the release; 1970: none';
