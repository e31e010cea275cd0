-- purpose: real page loads of a user: the latest, and the slowest one
-- definition: Page loads whose user is this one: the latest, and the slowest one.
-- parameters: user_hash, since, until, environment, release (both empty: all), limit
-- returns: one row per load, latest first: view_id, trace_id, page, when, with what, load_ms and lcp_ms (nan: not measured), is_slowest

with placed as (
    select
        view_id,
        trace_id,
        page,
        occurred_at,
        received_at,
        environment,
        release,
        device,
        browser,
        load_ms,
        lcp_ms,
        row_number() over (order by occurred_at desc, view_id asc) as by_time,
        row_number() over (order by isNaN(load_ms) asc, load_ms desc, view_id asc) as by_length
    from errata_mart.page_loads
    where
        navigation_type = 'navigate'
        and view_id != 0
        and user_hash = {user_hash:UInt64}
        and hour >= {since:DateTime('UTC')}
        and hour < {until:DateTime('UTC')}
        and ({environment:String} = '' or environment = {environment:String})
        and ({release:String} = '' or release = {release:String})
)

select
    * except (by_time, by_length),
    by_length = 1 and not isNaN(load_ms) as is_slowest
from placed
where by_time <= {limit:UInt16} or (by_length = 1 and not isNaN(load_ms))
order by by_time
