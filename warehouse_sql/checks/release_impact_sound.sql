-- purpose: how many effects lie outside their intervals, have impossible probabilities, or belong to no build of a release
-- returns: one row: wrong_count

select
    countIf(
        effect < effect_low
        or effect > effect_high
        or effect_ratio < effect_ratio_low
        or effect_ratio > effect_ratio_high
        or p_value not between 0 and 1
        or not (isNaN(q_value) or q_value between 0 and 1)
        or slower_probability not between 0 and 1
        or superiority not between 0 and 1
        or before_p50 > before_p75
        or after_p50 > after_p75
        or (project_id, environment, release, built_through) not in (
            select
                project_id,
                environment,
                release,
                built_through
            from errata_mart.release_metrics
        )
    ) as wrong_count
from errata_mart.release_impact
where built_through > now() - interval 1 day
