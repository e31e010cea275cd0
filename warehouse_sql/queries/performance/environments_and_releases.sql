-- purpose: what the filters of a project's pages offer: each environment and release seen in a period
-- parameters: since (the start of a day)
-- returns: one row per environment and release with the day it was last seen, the latest first

with (
    ${part:cuts_in_force}
) as cuts,

seen as (
    select
        environment,
        release,
        day
    from errata_mart.variant_daily
    where
        day >= toDate({since:DateTime('UTC')})
        and toUnixTimestamp64Micro(after_deletion_at)
        >= transform(cityHash64(project_id, variant_hash), cuts.1, cuts.2, toInt64(0))
    union all
    select
        environment,
        release,
        day
    from errata_mart.page_metrics_daily
    where day >= toDate({since:DateTime('UTC')})
    union all
    select
        environment,
        release,
        day
    from errata_mart.endpoint_metrics_daily
    where day >= toDate({since:DateTime('UTC')})
    union all
    -- Rows that no build has counted yet.
    select
        environment,
        release,
        toDate(occurred_at) as day
    from errata_raw.error_events
    where
        occurred_at >= {since:DateTime('UTC')}
        and received_at >= now() - interval 1 day
        and received_at >= (select max(built_through) from errata_mart.variant_daily)
        and (${is_kept})
)

select
    environment,
    release,
    max(day) as last_day
from seen
group by environment, release
order by last_day desc, release desc, environment
limit 1000
