-- errata_analysis.page_hours
-- purpose: what page loads measured and weighed, by hour and device
-- returns: one row per project, hour, metric, page, environment and device; page loads alone
-- inputs:  errata_analysis.page_hours_states

create or replace view errata_analysis.page_hours
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    hour DateTime('UTC') comment 'of the page loads',
    page String comment 'path with {id} for what varies, or the route''s name',
    environment String comment 'of the view',
    device String comment 'desktop, mobile, tablet, bot; empty: unknown',
    metric String comment 'view (counted only), or a metric of page loads, named as its column in page_loads',
    sample_count UInt64 comment 'page loads, or calls, with the figure',
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
    hour,
    page,
    environment,
    device,
    metric,
    sample_count,
    mean,
    p50,
    p75,
    p95,
    samples,
    built_through
from errata_analysis.page_hours_states
