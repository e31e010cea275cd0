-- errata_analysis.level_changes
-- purpose: days on which a metric of a page changed its level, with the release that lies nearest
-- returns: one row per project, environment, page (empty: all together), metric and change
-- inputs:  errata_mart.change_points

create or replace view errata_analysis.level_changes
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    environment String comment 'of the views',
    page String comment 'empty: all pages together',
    metric String comment 'as in page_days',
    day Date comment 'the first of the new level, UTC',
    level_before Float64 comment 'median of the daily p75 since the change before, weekdays made alike',
    level_after Float64 comment 'the same from the day on',
    change_ratio Float64 comment '0.1: a tenth more',
    p_e_divisive Float64 comment 'permutation test',
    p_mann_whitney Float64 comment 'of the two levels',
    p_mann_kendall Float64 comment 'of both together',
    vote_count UInt8 comment 'how many of the three are below 0.05',
    release String comment 'whose first page load lies nearest, within three days; empty: none',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
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
    day,
    level_before,
    level_after,
    change_ratio,
    p_e_divisive,
    p_mann_whitney,
    p_mann_kendall,
    vote_count,
    release,
    points.built_through as built_through
from errata_mart.change_points as points
where
    -- One row of each build only tells that it was made.
    metric != ''
    and (project_id, points.built_through) in (select project_id, built_through from held)
