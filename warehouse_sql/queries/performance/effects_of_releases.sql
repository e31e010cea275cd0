-- purpose: what releases changed by page and metric, as of the builds named
-- definition: The factor by which loads of this release differ from loads of the release before, on the same pages, devices and hours. The interval
--   holds the true factor with 95% confidence.
-- parameters: builds (environment, release, built_through of each), is_whole (all pages together, or each)
-- returns: one row per release, page and metric, the columns of release_impact; the most certain change first

select * replace (
    environment::String as environment,
    metric::String as metric,
    verdict::String as verdict,
    reason::String as reason
)
from errata_mart.release_impact
where
    (environment::String, release, built_through) in {builds:Array(Tuple(String, String, DateTime64(3, 'UTC')))}
    and (page = '') = {is_whole:Bool}
order by environment, release, p_value, page, metric
