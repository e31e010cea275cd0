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
    day Date comment 'first UTC day of the new level',
    level_before Float64 comment 'median of the daily p75 since the previous shift, adjusted for weekdays',
    level_after Float64 comment 'median of the daily p75 from this day on, adjusted for weekdays',
    change_ratio Float64 comment 'relative change: 0.1 is 10% more',
    p_e_divisive Float64 comment 'p-value of the permutation test of E-divisive means',
    p_mann_whitney Float64 comment 'p-value of the Mann-Whitney test of both levels',
    p_mann_kendall Float64 comment 'p-value of the Mann-Kendall test of both levels together',
    vote_count UInt8 comment 'how many of the three tests are below 0.05: 2 or 3',
    release String comment 'release whose first page load is nearest, within three days; empty: none',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
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
