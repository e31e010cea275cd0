-- purpose: which releases changed one metric of a page, by the last build of each
-- definition: Releases whose loads of this page differ from those of the release before, on the same devices and hours. The interval holds the true
--   factor with 95% confidence.
-- parameters: page, metric, environment (empty: all), since
-- returns: one row per environment and release with a change: environment, release, began_at, verdict (worse or better), effect_ratio with
--   effect_ratio_low and effect_ratio_high (nan of cls), effect with effect_low and effect_high; the latest first, at most ten

with latest as (
    select
        environment,
        release,
        max(metrics.built_through) as built_through,
        argMax(metrics.first_view_at, metrics.built_through) as began_at
    from errata_mart.release_metrics as metrics
    group by environment, release
    having began_at >= {since:DateTime64(3, 'UTC')}
)

select
    impact.environment::String as environment,
    impact.release as release,
    latest.began_at as began_at,
    impact.verdict::String as verdict,
    impact.effect_ratio as effect_ratio,
    impact.effect_ratio_low as effect_ratio_low,
    impact.effect_ratio_high as effect_ratio_high,
    impact.effect as effect,
    impact.effect_low as effect_low,
    impact.effect_high as effect_high
from errata_mart.release_impact as impact
inner join latest
    on
        impact.environment = latest.environment
        and impact.release = latest.release
        and impact.built_through = latest.built_through
where
    impact.page = {page:String}
    and impact.metric = {metric:String}
    and impact.verdict in ('worse', 'better')
    and ({environment:String} = '' or impact.environment = {environment:String})
order by began_at desc, release, environment
limit 10
