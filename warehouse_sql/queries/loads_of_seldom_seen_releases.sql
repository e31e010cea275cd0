-- loads_of_seldom_seen_releases
-- purpose: users and script bytes of releases that too few page loads came from to be compared: all of their loads
-- parameters: project_id, environment, releases, untils_ms (of each release, unix ms), since, until (moments of receipt, half-open)
-- returns: one row per release: user_count, js_bytes_p50 (nan: no scripts)
-- inputs:  errata_raw.page_views, errata_raw.page_resources

with loads as materialized (
    -- A client that retries sends the same part again.
    select
        release,
        item_id,
        view_id,
        user_hash
    from errata_raw.page_views
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and release in {releases:Array(String)}
        and is_load
        and navigation_type = 'navigate'
        and view_id != 0
        and toUnixTimestamp64Milli(occurred_at)
            < transform(release::String, {releases:Array(String)}, {untils_ms:Array(Int64)}, toInt64(0))
        and received_at >= {since:DateTime64(3, 'UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
    order by received_at
    limit 1 by item_id
),

scripts as (
    select
        view_id,
        sum(body_bytes) as js_bytes
    from (
        select distinct
            view_id,
            item_id,
            url,
            start_us,
            body_bytes
        from errata_raw.page_resources
        where
            project_id = {project_id:UInt32}
            and view_id in (select view_id from loads)
            and type = 'script'
            and received_at >= {since:DateTime64(3, 'UTC')}
            and received_at < {until:DateTime64(3, 'UTC')}
    )
    group by view_id
)

select
    loads.release::String as release,
    uniqExactIf(loads.user_hash, loads.user_hash != 0) as user_count,
    quantileExactInclusiveIf(0.5)(toFloat64(scripts.js_bytes), scripts.js_bytes > 0) as js_bytes_p50
from loads
left join scripts on loads.view_id = scripts.view_id
group by release
settings enable_materialized_cte = 1
