-- purpose: days of receipt with rows that their projects no longer keep, in error_events or another raw table
-- parameters: projects, throughs (of each project its last expired day)
-- returns: one row per day: day, projects

select
    toDate(received_at) as day,
    arraySort(groupUniqArray(project_id)) as projects
from ${table}
where
    project_id in {projects:Array(UInt32)}
    and toDate(received_at) <= arrayMax({throughs:Array(Date)})
    and toDate(received_at) <= {throughs:Array(Date)}[indexOf({projects:Array(UInt32)}, project_id)]
group by day
order by day
