-- purpose: the names of tags that recent events of a project have, the most frequent first
-- parameters: since, typed (in lower case), limit
-- returns: one row per name with its event_count

select
    toString(arrayJoin(mapKeys(tags))) as name,
    count() as event_count
from errata_raw.error_events
where occurred_at >= {since:DateTime('UTC')}
group by name
having startsWith(lowerUTF8(name), {typed:String})
order by event_count desc, name
limit {limit:UInt16}
