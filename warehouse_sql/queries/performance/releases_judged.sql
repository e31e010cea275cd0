-- purpose: the releases of a project with their figures and verdicts, as of the last build of each
-- definition: Loads counts the page loads of a release, each once. Those that had not ended when they were reported count with the
--   time until which they are known to have lasted. The verdict compares them with loads of the release before, other things equal.
-- parameters: environment (empty: all), since, until
-- returns: one row per environment and release that was seen in the range: the columns of release_metrics, the latest first

select * replace (
    environment::String as environment,
    error_rate_unit::String as error_rate_unit,
    error_verdict::String as error_verdict,
    error_reason::String as error_reason,
    crash_verdict::String as crash_verdict,
    verdict::String as verdict
)
from errata_mart.release_metrics
where
    last_day >= toDate({since:DateTime('UTC')})
    and first_view_at < {until:DateTime64(3, 'UTC')}
    and ({environment:String} = '' or environment = {environment:String})
order by built_through desc
limit 1 by environment, release
