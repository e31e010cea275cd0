-- purpose: how many rows have durations out of order or number, or percentiles that fall
-- returns: one row: wrong_count

with ordered as (
    select
        durations_ms,
        call_count,
        finalizeAggregation(duration_state) as percentiles
    from errata_mart.endpoint_metrics_daily
)

select
    countIf(
        durations_ms != arraySort(durations_ms)
        or (notEmpty(durations_ms) and length(durations_ms) != call_count)
        or (call_count >= 1000 and percentiles != arraySort(percentiles))
    ) as wrong_count
from ordered
