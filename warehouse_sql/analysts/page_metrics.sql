-- purpose: loads and the p75 of the load time of each page, in whole UTC days
-- parameters: project_id, since, until, environment
select
    page,
    sum(sample_count) as loads,
    -- Days with 1,000 loads keep no samples, but a digest.
    round(if(
        countIf(empty(samples)) = 0,
        quantileExactInclusiveArray(0.75)(samples),
        quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)[2]
    )) as load_ms_p75
from errata_analysis.page_days_states
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and metric = 'load_ms'
    and navigation_type = 'navigate'
    and ({environment:String} = '' or environment = {environment:String})
group by page
order by loads desc
