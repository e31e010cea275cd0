-- purpose: how many rows have durations out of order or number, percentiles that fall, or more of a part than of the whole
-- returns: one row: wrong_count

with ordered as (
    select
        durations_ms,
        resource_count,
        view_count,
        blocking_count,
        sized_count,
        cached_count,
        finalizeAggregation(duration_state) as percentiles
    from errata_mart.resource_metrics_daily
)

select
    countIf(
        durations_ms != arraySort(durations_ms)
        or (notEmpty(durations_ms) and length(durations_ms) != resource_count)
        or (resource_count >= 1000 and percentiles != arraySort(percentiles))
        or greatest(view_count, blocking_count, sized_count, cached_count) > resource_count
    ) as wrong_count
from ordered
