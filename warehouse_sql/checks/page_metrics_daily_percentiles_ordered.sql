-- purpose: how many rows have values out of order or number, or percentiles that fall
-- returns: one row: wrong_count

with ordered as (
    select
        values,
        sample_count,
        metric,
        finalizeAggregation(value_state) as percentiles
    from errata_mart.page_metrics_daily
)

select
    countIf(
        values != arraySort(values)
        or (notEmpty(values) and length(values) != sample_count)
        or (metric != 'view' and sample_count >= 1000 and percentiles != arraySort(percentiles))
    ) as wrong_count
from ordered
