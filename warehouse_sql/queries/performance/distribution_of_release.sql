-- purpose: one metric of page loads before and after a release, over the time that the release was judged by
-- definition: Of the page loads of both releases, each once, those that measured the metric: of the earlier release in the seven days before
--   the later one began, of the later one until it was judged. Exact up to 50,000 loads a release, else estimated by t-digest within 1%.
-- parameters: project_id, environment, after, before (releases), began, since, until, page (empty: all), metric
-- returns: one row per release: is_after, sample_count, quantiles (5% to 95% in steps of 5)

with measured as (
    select
        release = {after:String} as is_after,
        toFloat64(multiIf(
            {metric:String} = 'load_ms', if(isNaN(unended_ms), load_ms, unended_ms),
            {metric:String} = 'ttfb_ms', ttfb_ms,
            {metric:String} = 'fcp_ms', fcp_ms,
            {metric:String} = 'lcp_ms', lcp_ms,
            {metric:String} = 'inp_ms', inp_ms,
            {metric:String} = 'cls', cls,
            {metric:String} = 'api_ms', arrayAvg(api_ms),
            {metric:String} = 'js_bytes' and script_bytes > 0, toFloat64(script_bytes),
            nan
        )) as value
    from errata_mart.page_loads as loads
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and release in ({after:String}, {before:String})
        and navigation_type = 'navigate'
        and view_id != 0
        and hour >= toStartOfHour({since:DateTime64(3, 'UTC')})
        and loads.occurred_at >= if(release = {after:String}, {began:DateTime64(3, 'UTC')}, {since:DateTime64(3, 'UTC')})
        and loads.occurred_at < {until:DateTime64(3, 'UTC')}
        and ({page:String} = '' or page = {page:String})
)

select
    is_after,
    count() as sample_count,
    if(
        sample_count <= 50000,
        arrayReduce(
            'quantilesExactInclusive(0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)',
            groupArray(50000)(value)
        ),
        arrayMap(
            estimate -> toFloat64(estimate),
            quantilesTDigest(0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)(value)
        )
    ) as quantiles
from measured
-- Nothing is a multiple of 0, so that a relative change leaves it out.
where isFinite(value) and (value > 0 or {metric:String} = 'cls')
group by is_after
order by is_after
