-- purpose: how many rows have values out of order or number, or a digest of nothing
-- returns: one row: wrong_count

with ordered as (
    select
        values,
        sample_count,
        metric,
        finalizeAggregation(value_state) as median
    from errata_mart.page_metrics_hourly
)

select
    countIf(
        values != arraySort(values)
        or (notEmpty(values) and length(values) != sample_count)
        or (metric != 'view' and sample_count >= 1000 and isNaN(median))
    ) as wrong_count
from ordered
