-- routes_of_endpoint
-- purpose: the routes that an endpoint has on its two sides: the route itself, and those of the same shape
-- parameters: since (a day), route, shape (the route with {} for variable segments), ${filters_of_days} (empty: all)
-- returns: one row per side, method and route, the most called first: hosts that pages called, calls
-- inputs:  errata_mart.endpoint_metrics_daily

select
    side::String as called_side,
    method::String as called_method,
    route::String as called_route,
    arraySort(groupUniqArrayIf(host::String, host != '')) as hosts,
    sum(call_count) as calls
from errata_mart.endpoint_metrics_daily
where
    day >= {since:Date}
    and (
        route = {route:String}
        or replaceRegexpAll(replaceRegexpAll(route, '[{<:][^/]*', '{}'), '/+$', '') = {shape:String}
    )
    and ${filters_of_days}
group by called_side, called_method, called_route
order by calls desc, called_side, called_method, called_route
