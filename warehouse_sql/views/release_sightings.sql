-- errata_read.release_sightings
-- purpose: when each variant was seen in each release as of this very moment: the mart, and events received since
-- returns: rows per variant and release with first_occurred_at and last_occurred_at, more than one where events came in
--   since the build. A repeated event moves no first and no last: it is not looked for
-- inputs:  errata_mart.variant_releases, errata_raw.error_events

create or replace view errata_read.release_sightings
sql security invoker
as
select
    project_id,
    variant_hash,
    release,
    first_occurred_at,
    last_occurred_at
from errata_mart.variant_releases
union all
select
    project_id,
    variant_hash,
    release,
    occurred_at as first_occurred_at,
    occurred_at as last_occurred_at
from errata_raw.error_events
where received_at >= (select max(built_through) from errata_mart.variant_releases)
