-- purpose: how many pages some users loaded in the period, and how long loads took them
-- parameters: users, since, until, environment, release (both empty: all)
-- returns: one row per user with a page load: user_hash, load_count, load_p75_ms (nan: not measured)

select
    user_hash,
    count() as load_count,
    quantileTDigestIf(0.75)(if(isNaN(load_ms), unended_ms, load_ms), not (isNaN(load_ms) and isNaN(unended_ms))) as load_p75_ms
from errata_mart.page_loads
where
    navigation_type = 'navigate'
    and user_hash in {users:Array(UInt64)}
    and hour >= {since:DateTime('UTC')}
    and hour < {until:DateTime('UTC')}
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
group by user_hash
