-- purpose: how many rows have durations out of order or number, or a digest of nothing
-- returns: one row: wrong_count

with ordered as (
    select
        durations_ms,
        call_count,
        finalizeAggregation(duration_state) as median
    from errata_mart.endpoint_metrics_hourly
)

select
    countIf(
        durations_ms != arraySort(durations_ms)
        or (notEmpty(durations_ms) and length(durations_ms) != call_count)
        or (call_count >= 1000 and isNaN(median))
    ) as wrong_count
from ordered
