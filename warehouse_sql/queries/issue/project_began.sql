-- purpose: when the first event or page load of a project came in: no chart of its events begins long before
-- returns: one row: began_at, source_count (0: nothing yet)

select
    minIf(first_at, row_count > 0) as began_at,
    countIf(row_count > 0) as source_count
from (
    select
        min(first_seen_at) as first_at,
        count() as row_count
    from errata_raw.variants

    union all

    select
        toDateTime64(min(day), 3, 'UTC') as first_at,
        count() as row_count
    from errata_mart.page_metrics_daily
    where metric = 'view'
)
