-- shifts
-- purpose: the change points of a project, as of the last build
-- definition: Steps of a daily p75 to a level that lasts seven days or more, and slow drifts, if no smoother course explains the days and chance over all series of the project is unlikely.
-- parameters: environment, page (empty: all pages together), metric (empty: all), is_each_page (of each page too)
-- returns: one row per change: the columns of change_points, the latest first; and one without a metric that tells of the build
-- inputs:  errata_mart.change_points

select
    counted_through,
    environment::String as environment,
    page,
    metric::String as metric,
    kind::String as kind,
    day,
    first_day,
    last_day,
    level_before,
    level_after,
    change_ratio,
    slope,
    p_value,
    went_away_on,
    finding,
    moved_together,
    release,
    release_at
from errata_mart.change_points
where
    -- Row policies restrict this to the statement's project, too.
    built_through = (
        select max(built_through)
        from errata_mart.change_points
    )
    and (
        metric = ''
        or (
            environment = {environment:String}
            and ({is_each_page:Bool} or page = {page:String})
            and ({metric:String} = '' or metric = {metric:String})
        )
    )
order by day desc, environment, page, metric
