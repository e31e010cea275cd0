-- resources_of_days
-- purpose: what page loads of whole days loaded, by type and by URL, as of the last build: for reports of days that are over
-- parameters: since, until (exclusive), ${filters_of_days} (empty: all),
--   has_types, has_urls (which rows are told), type (of the URLs; empty: all), sort, is_descending, url_limit, blocking_limit
-- returns: what resources_told tells
-- inputs:  errata_mart.resource_metrics_daily

with cells as (
    select *
    from errata_mart.resource_metrics_daily
    where
        day >= {since:Date}
        and day < {until:Date}
        and navigation_type = 'navigate'
        and ${filters_of_days}
),

${part:resources_told}
