-- purpose: the routes that an endpoint has on its two sides: the route itself, those of the same shape, and paths that pages called
-- parameters: since (a day), route, shape (the route with {} for variable segments), pattern (of its paths; empty: it is no path), ${filters_of_days} (empty: all)
-- returns: one row per side, method and route, the most called first: hosts that pages called, calls

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
        or (
            -- Browsers know no routes, so a segment that looks like a word stays in their paths. Paths that a server
            -- reports as separate routes are those routes.
            side = 'page'
            and {pattern:String} != ''
            and match(route, {pattern:String})
            and route not in (
                select route
                from errata_mart.endpoint_metrics_daily
                where
                    side = 'server'
                    and day >= {since:Date}
            )
        )
    )
    and ${filters_of_days}
group by called_side, called_method, called_route
order by calls desc, called_side, called_method, called_route
