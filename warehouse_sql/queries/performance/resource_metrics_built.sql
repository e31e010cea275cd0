-- purpose: what pages loaded in a period of whole days, by type and by URL, as of the last build
-- definition: Loads counts how often page loads loaded a resource. Sizes and times are of these loads, as browsers measured them.
-- parameters: since, until, navigation_type, ${filters_of_days}, page (empty: all),
--   has_types, has_urls (which rows are told), type (of the URLs; empty: all), sort, is_descending, url_limit, blocking_limit
-- returns: what resources_told tells

with cells as (
    select *
    from errata_mart.resource_metrics_daily
    where
        day >= toDate({since:DateTime('UTC')})
        and day < toDate({until:DateTime('UTC')})
        and navigation_type = {navigation_type:String}
        and ${filters_of_days}
        and ({page:String} = '' or page = {page:String})
),

${part:resources_told}
