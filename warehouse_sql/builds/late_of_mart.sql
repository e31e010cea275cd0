-- purpose: whose rows from before its watermark a mart lacks

select
    project.1 as project_id,
    project.2 as last_day,
    project.3 as since
from (
    select argMax(late, number) as projects
    from errata_ops.builds
    where mart = {mart:String}
)
array join projects as project
