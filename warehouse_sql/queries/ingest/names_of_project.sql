-- purpose: the names a project used lately, today's first, then those used on the most days
-- parameters: project_id, since (first day), today, limit (of each kind)
-- returns: one row per kind and name: kind, name, is_of_today, is_new (not used before today)

select
    kind,
    name,
    max(seen_on) = {today:Date} as is_of_today,
    min(seen_on) = {today:Date} as is_new
from errata_raw.names_seen
where
    project_id = {project_id:UInt32}
    and seen_on >= {since:Date}
    and seen_on <= {today:Date}
group by kind, name
order by kind, is_of_today desc, uniqExact(seen_on) desc, min(received_at), name
limit {limit:UInt32} by kind
