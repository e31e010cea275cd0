-- errata_analysis.release_effects
-- purpose: what each release changed against the one before, with intervals
-- returns: one row per project, environment, release, page (empty: all together) and metric
-- inputs:  errata_mart.release_metrics, errata_mart.release_impact

create or replace view errata_analysis.release_effects
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    environment String comment 'in which it was seen',
    release String comment 'its name',
    previous_release String comment 'the one it is compared with; empty: none',
    page String comment 'empty: all pages together',
    metric String comment 'load_ms, ttfb_ms, fcp_ms, lcp_ms, inp_ms, cls, api_ms, js_bytes',
    after_count UInt64 comment 'comparable values of this release',
    before_count UInt64 comment 'of the one before',
    before_p50 Float64 comment 'of the comparable values',
    before_p75 Float64 comment 'of the comparable values',
    after_p50 Float64 comment 'of the comparable values',
    after_p75 Float64 comment 'of the comparable values',
    effect Float64 comment 'unit of the metric',
    effect_low Float64 comment 'of its 95 % interval',
    effect_high Float64 comment 'of its 95 % interval',
    effect_ratio Float64 comment '0.1: a tenth more; of cls: nan',
    effect_ratio_low Float64 comment 'of its 95 % interval',
    effect_ratio_high Float64 comment 'of its 95 % interval',
    p_value Float64 comment 'stratified Mann-Whitney test at one look',
    q_value Float64 comment 'Benjamini-Hochberg over pages and metrics; of all pages together nan',
    slower_probability Float64 comment 'that the release is slower (or larger)',
    user_count UInt64 comment 'identified users of the values of this release',
    verdict String comment 'worse, better, no_change, not_enough_data',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
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
