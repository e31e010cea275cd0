-- purpose: the change points of a project, as of the last build
-- definition: Steps of a daily p75 to a level that lasts seven days or more, and slow drifts, if no smoother course explains the days and chance over all series of the project is unlikely.
-- parameters: environment, page (empty: all pages together), metric (empty: all), is_each_page (of each page too)
-- returns: one row per change: the columns of change_points, the latest first; and one without a metric that tells of the build

select * replace (environment::String as environment, metric::String as metric, kind::String as kind)
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
