-- purpose: events and users of each issue, in whole UTC days, as of the last build
-- parameters: project_id, since, until, environment
select
    issue_id,
    any(title) as title,
    sum(event_count) as events,
    uniqMerge(users) as distinct_users
from errata_analysis.issue_days_states
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and ({environment:String} = '' or environment = {environment:String})
group by issue_id
order by events desc
