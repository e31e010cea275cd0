-- errata_analysis.release_effects
-- purpose: what each release changed against the one before, with intervals
-- returns: one row per project, environment, release, page (empty: all together) and metric
-- mart:    errata_mart.release_impact
-- columns: project_id, environment, release, previous_release, page, metric, after_count, before_count, before_p50, before_p75, after_p50,
--   after_p75, effect, effect_low, effect_high, effect_ratio, effect_ratio_low, effect_ratio_high, p_value, q_value, slower_probability,
--   user_count, verdict, built_through
-- inputs:  errata_mart.release_metrics, errata_mart.release_impact

create or replace view errata_analysis.release_effects
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    metric String comment 'load_ms, ttfb_ms, fcp_ms, lcp_ms, inp_ms, cls, api_ms or js_bytes',
    effect Float64 comment 'difference in the unit of the metric',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
with held as (
    select
        project_id,
        environment,
        release,
        max(built_through) as built_through
    from errata_mart.release_metrics
    group by project_id, environment, release
)

select *
from errata_mart.release_impact as impact
where
    (project_id, environment, release, impact.built_through)
    in (select project_id, environment, release, built_through from held)
