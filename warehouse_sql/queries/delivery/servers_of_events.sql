-- purpose: the servers that error events of a period name, those with most events first
-- parameters: since, until (moments of occurrence), limit
-- returns: one row per server_name that is not empty

select server_name
from errata_raw.error_events
where
    server_name != ''
    and occurred_at >= {since:DateTime64(3, 'UTC')}
    and occurred_at < {until:DateTime64(3, 'UTC')}
group by server_name
order by count() desc, server_name
limit {limit:UInt32}
