-- purpose: users and script bytes of releases that too few page loads came from to be compared: all of their loads
-- parameters: project_id, environment, releases, untils_ms (of each release, unix ms), since (day)
-- returns: one row per release: user_count, js_bytes_p50 (nan: no scripts)

select
    release::String as release,
    uniqExactIf(user_hash, user_hash != 0) as user_count,
    quantileExactInclusiveIf(0.5)(toFloat64(script_bytes), script_bytes > 0) as js_bytes_p50
from errata_mart.page_loads as loads
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and loads.release in {releases:Array(String)}
    and navigation_type = 'navigate'
    and view_id != 0
    and toDate(hour) >= {since:Date}
    and toUnixTimestamp64Milli(occurred_at)
        < transform(loads.release::String, {releases:Array(String)}, {untils_ms:Array(Int64)}, toInt64(0))
group by release
