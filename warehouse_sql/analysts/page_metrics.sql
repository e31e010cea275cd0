-- purpose: loads of each page and the p75 of a metric, in whole UTC days
-- parameters: project_id, since, until, metric, environment, release, page
select
    page,
    sumIf(sample_count, metric = 'view') as loads,
    -- Days with 1,000 loads keep no samples, but a digest.
    round(if(
        countIf(metric != 'view' and empty(samples)) = 0,
        quantileExactInclusiveArrayIf(0.75)(samples, metric != 'view'),
        quantilesTDigestMergeIf(0.5, 0.75, 0.95)(digest, metric != 'view')[2]
    ), 3) as p75
from errata_analysis.page_days_states
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and metric in ('view', {metric:String})
    and navigation_type = 'navigate'
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
    and ({page:String} = '' or page = {page:String})
group by page
order by loads desc
