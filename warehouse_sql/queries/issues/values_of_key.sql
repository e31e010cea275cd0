-- purpose: the most frequent values of a field or tag that begin with, or hold, what somebody types
-- parameters: since, typed (in lower case), limit (the value put in may have a parameter of its own)
-- returns: one row per value with its event_count; those that begin with it come first

select
    toString(${value}) as value,
    count() as event_count
from errata_raw.error_events
where
    occurred_at >= {since:DateTime('UTC')}
    and ${value} != ''
    and position(lowerUTF8(${value}), {typed:String}) > 0
group by value
order by startsWith(lowerUTF8(value), {typed:String}) desc, event_count desc, value
limit {limit:UInt16}
