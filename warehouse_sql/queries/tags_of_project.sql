-- tags_of_project
-- purpose: the names of tags that recent events of a project have, the most frequent first
-- parameters: project_id, since, typed (in lower case), limit
-- returns: one row per name with its event_count
-- inputs:  errata_read.error_events

select
    toString(arrayJoin(mapKeys(tags))) as name,
    count() as event_count
from errata_read.error_events(projects = [{project_id:UInt32}])
where occurred_at >= {since:DateTime('UTC')}
group by name
having startsWith(lowerUTF8(name), {typed:String})
order by event_count desc, name
limit {limit:UInt16}
