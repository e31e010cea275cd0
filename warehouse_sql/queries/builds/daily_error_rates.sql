-- purpose: error events per 1,000 page loads by day, of all releases: what drifts of errors are looked for in
-- parameters: project_id, environment, since, until (days, half-open), fewest_samples (page loads of a day)
-- returns: one row: days (day, errors)

with loads as (
    select
        day,
        sum(sample_count) as load_count
    from errata_mart.page_metrics_daily
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and day >= {since:Date}
        and day < {until:Date}
        and metric = 'load_ms'
        and navigation_type = 'navigate'
    group by day
    having load_count >= {fewest_samples:UInt32}
),

errors as (
    select
        day,
        sum(event_count) as error_count
    from errata_mart.variant_daily
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and day >= {since:Date}
        and day < {until:Date}
    group by day
)

select arraySort(groupArray((loads.day, 1000 * (errors.error_count + 0.5) / loads.load_count))) as days
from loads
left join errors on loads.day = errors.day
