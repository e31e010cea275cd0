-- purpose: bytes that each host wrote and delivered, by whole UTC days of log files
-- parameters: project_id, since, until, host, services
select
    host,
    sum(written_bytes) as written,
    sum(delivered_bytes) as delivered,
    max(last_received_at) as last_received
from errata_analysis.delivery_days
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and ({host:String} = '' or host = {host:String})
    and (empty({services:Array(String)}) or has({services:Array(String)}, service))
group by host
order by host
