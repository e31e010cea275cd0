-- purpose: the endpoints whose method and route have all words of a text, as of the last build: for finding an endpoint by name
-- parameters: since (a day), limit (the condition put in has parameters of its own)
-- returns: one row per method and route, the most called first: called_method, called_route, last_day, calls (as servers and pages counted them)

select
    method as called_method,
    route as called_route,
    max(day) as last_day,
    sum(call_count) as calls
from errata_mart.endpoint_metrics_daily
where
    day >= {since:Date}
    and (${is_named})
group by called_method, called_route
order by calls desc, called_route, called_method
limit {limit:UInt16}
