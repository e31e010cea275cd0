-- purpose: calls, errors and the p95 of the duration of each endpoint as servers or pages measured them, in whole UTC days
-- parameters: project_id, since, until, side, environment, release
select
    method,
    route,
    sum(call_count) as calls,
    sum(client_error_count + server_error_count) as errors,
    -- Days with 1,000 calls keep no durations, but a digest.
    round(if(
        countIf(empty(durations_ms)) = 0,
        quantileExactInclusiveArray(0.95)(durations_ms),
        quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)[3]
    )) as p95_ms
from errata_analysis.endpoint_days_states
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and side = {side:String}
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
group by method, route
order by calls desc
