-- errata_analysis.page_days
-- purpose: what pages measured, by day
-- returns: one row per project, day, page, kind of navigation, environment, release and metric
-- inputs:  errata_analysis.page_days_states

create or replace view errata_analysis.page_days
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    day Date comment 'UTC day of the views',
    page String comment 'path with {id} for what varies, or the route''s name',
    navigation_type String comment 'navigate, soft-navigation or back-forward-cache',
    environment String comment 'of the view',
    release String comment 'of the view',
    metric String comment 'view (counted only), or a metric of page loads, named as its column in page_loads',
    sample_count UInt64 comment 'views, or calls, with the figure',
    mean Float64 comment 'of all samples; ms, for cls without unit; nan: counted only',
    p50 Float64 comment 'linear below 1,000 samples, else by t-digest; nan: counted only',
    p75 Float64 comment 'as p50',
    p95 Float64 comment 'as p50',
    samples Array(Float64) comment 'all of them, ascending, below 1,000; else empty',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
as
select
    project_id,
    day,
    page,
    navigation_type,
    environment,
    release,
    metric,
    sample_count,
    mean,
    p50,
    p75,
    p95,
    samples,
    built_through
from errata_analysis.page_days_states
