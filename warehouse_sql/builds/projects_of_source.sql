-- purpose: which projects an insert that failed may have read rows of, and how many
-- parameters: first, last, excluded (projects)

select
    project_id,
    count() as row_count
from ${table}
where
    project_id between {first:UInt32} and {last:UInt32}
    and project_id not in {excluded:Array(UInt32)}
group by project_id
order by project_id
