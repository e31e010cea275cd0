-- errata_analysis.level_changes
-- purpose: days on which a metric of a page changed its level, with the release that lies nearest
-- returns: one row per project, environment, page (empty: all together), metric and change
-- mart:    errata_mart.change_points
-- columns: project_id, environment, page, metric, kind, day, first_day, last_day, level_before, level_after, change_ratio, slope, p_value,
--   went_away_on, finding, moved_together, release, built_through
-- inputs:  errata_mart.change_points

create or replace view errata_analysis.level_changes
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    metric String comment 'metric, as in page_days',
    kind String comment 'step or drift',
    level_before Float64 comment 'level of the daily p75 before the step or on the first day of the drift, adjusted for weekdays',
    finding UInt32 comment 'number of the finding; series that changed together share it',
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

select *
from errata_mart.change_points as points
where
    -- One row of each build only tells that it was made.
    metric != ''
    and (project_id, points.built_through) in (select project_id, built_through from held)
