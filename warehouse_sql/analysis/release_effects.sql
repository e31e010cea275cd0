-- errata_analysis.release_effects
-- purpose: what each release changed against the one before, with intervals
-- returns: one row per project, environment, release, page (empty: all together) and metric
-- inputs:  errata_mart.release_metrics, errata_mart.release_impact

create or replace view errata_analysis.release_effects
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    environment String comment 'environment in which the release was seen',
    release String comment 'name of the release',
    previous_release String comment 'release that this one is compared with',
    page String comment 'page; empty: all pages together',
    metric String comment 'load_ms, ttfb_ms, fcp_ms, lcp_ms, inp_ms, cls, api_ms or js_bytes',
    after_count UInt64 comment 'comparable values of this release',
    before_count UInt64 comment 'comparable values of the previous release',
    before_p50 Float64 comment 'median of the previous release, over comparable values',
    before_p75 Float64 comment '75th percentile of the previous release, over comparable values',
    after_p50 Float64 comment 'median of this release, over comparable values',
    after_p75 Float64 comment '75th percentile of this release, over comparable values',
    effect Float64 comment 'difference in the unit of the metric',
    effect_low Float64 comment 'lower end of the 95% interval of effect',
    effect_high Float64 comment 'upper end of the 95% interval of effect',
    effect_ratio Float64 comment 'relative difference: 0.1 is 10% more; nan for cls',
    effect_ratio_low Float64 comment 'lower end of the 95% interval of effect_ratio',
    effect_ratio_high Float64 comment 'upper end of the 95% interval of effect_ratio',
    p_value Float64 comment 'p-value of the stratified Mann-Whitney test, for a single analysis',
    q_value Float64 comment 'Benjamini-Hochberg q-value over pages and metrics, corrected for interim analyses; nan for all pages together',
    slower_probability Float64 comment 'probability that the release is slower (or larger)',
    user_count UInt64 comment 'identified users behind the values of this release',
    verdict String comment 'worse, better, no_change or not_enough_data',
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

select
    project_id,
    environment,
    release,
    previous_release,
    page,
    metric,
    after_count,
    before_count,
    before_p50,
    before_p75,
    after_p50,
    after_p75,
    effect,
    effect_low,
    effect_high,
    effect_ratio,
    effect_ratio_low,
    effect_ratio_high,
    p_value,
    q_value,
    slower_probability,
    user_count,
    verdict,
    impact.built_through as built_through
from errata_mart.release_impact as impact
where
    (project_id, environment, release, impact.built_through)
    in (select project_id, environment, release, built_through from held)
