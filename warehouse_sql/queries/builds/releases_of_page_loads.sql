-- purpose: the releases that page loads of a project came from since a day, as of the last build of the days
-- returns: one row per environment and release: first_day, last_day, view_count, days (of each its page loads)

select
    environment::String as environment,
    release::String as release,
    min(day) as first_day,
    max(day) as last_day,
    sum(day_count) as view_count,
    groupArray((day, day_count)) as days
from (
    select
        environment,
        release,
        day,
        sum(sample_count) as day_count
    from errata_mart.page_metrics_daily
    where
        project_id = {project_id:UInt32}
        and day >= {since:Date}
        and metric = 'view'
        and navigation_type = 'navigate'
        -- Beyond a day's bound of new names: of many releases, and no release itself.
        and release not in ('', '(other)')
    group by environment, release, day
)
group by environment, release
order by environment, first_day, release
