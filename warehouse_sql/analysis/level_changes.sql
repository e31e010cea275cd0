-- errata_analysis.level_changes
-- purpose: days on which a metric of a page changed its level, with the release that lies nearest
-- returns: one row per project, environment, page (empty: all together), metric and change
-- inputs:  errata_mart.change_points

create or replace view errata_analysis.level_changes
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    environment String comment 'environment of the views',
    page String comment 'page; empty: all pages together',
    metric String comment 'metric, as in page_days',
    kind String comment 'step or drift',
    day Date comment 'step: first UTC day of the new level; drift: last day of the line',
    first_day Date comment 'step: the day lies between it and last_day (95%); drift: first day of the line',
    last_day Date comment 'step: the day lies between first_day and it (95%); drift: last day of the line',
    level_before Float64 comment 'level of the daily p75 before the step or on the first day of the drift, adjusted for weekdays',
    level_after Float64 comment 'level of the daily p75 after the step or on the last day of the drift, adjusted for weekdays',
    change_ratio Float64 comment 'relative change: 0.1 is 10% more',
    slope Float64 comment 'drift: relative change per week; 0 for a step',
    p_value Float64 comment 'share of series without this change in which a change gains as much',
    went_away_on Date comment 'first day of the step that led back to the level before; 1970: none',
    finding UInt32 comment 'number of the finding; series that changed together share it',
    moved_together UInt32 comment 'number of series of the finding, with this one',
    release String comment 'nearest release whose first page load lies within the interval of the day; empty: none',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
with held as (
    select
        project_id,
        max(built_through) as built_through
    from errata_mart.change_points
    group by project_id
)

select
    project_id,
    environment,
    page,
    metric,
    kind,
    day,
    first_day,
    last_day,
    level_before,
    level_after,
    change_ratio,
    slope,
    p_value,
    went_away_on,
    finding,
    moved_together,
    release,
    points.built_through as built_through
from errata_mart.change_points as points
where
    -- One row of each build only tells that it was made.
    metric != ''
    and (project_id, points.built_through) in (select project_id, built_through from held)
