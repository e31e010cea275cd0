-- purpose: the monitors of a project whose check-ins are kept, of very many the latest
-- parameters: project_id, limit
-- returns: one row per monitor: monitor_slug

select monitor_slug
from errata_raw.check_ins
where project_id = {project_id:UInt32}
group by monitor_slug
order by max(occurred_at) desc, monitor_slug
limit {limit:UInt16}
