-- purpose: how many rows have values out of order or number, percentiles that fall, or more slow views than views
-- returns: one row: wrong_count

with ordered as (
    select
        values,
        sample_count,
        slow_count,
        finalizeAggregation(value_state) as percentiles
    from errata_mart.page_causes_daily
)

select
    countIf(
        values != arraySort(values)
        or (notEmpty(values) and length(values) != sample_count)
        or (sample_count >= 1000 and percentiles != arraySort(percentiles))
        or slow_count > sample_count
    ) as wrong_count
from ordered
