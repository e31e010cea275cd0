-- errata_read.kept_sightings
-- purpose: release_sightings without those that were deleted with their issue
-- returns: rows as in release_sightings; is_cut: of a variant of which something was deleted
-- inputs:  errata_mart.variant_releases, errata_read.kept_events, errata_read.deleted_parts

create or replace view errata_read.kept_sightings
sql security invoker
as
with (
    select (
        groupArray(cityHash64(project_id, variant_hash, toUnixTimestamp64Micro(after_deletion_at))),
        groupArray(cityHash64(project_id, variant_hash))
    )
    from errata_read.deleted_parts(
        decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
    )
) as gone

select
    project_id,
    variant_hash,
    release,
    first_occurred_at,
    last_occurred_at,
    cityHash64(project_id, variant_hash) in (gone.2) as is_cut
from errata_mart.variant_releases
where cityHash64(project_id, variant_hash, toUnixTimestamp64Micro(after_deletion_at)) not in (gone.1)
union all
select
    project_id,
    variant_hash,
    release,
    occurred_at as first_occurred_at,
    occurred_at as last_occurred_at,
    cityHash64(project_id, variant_hash) in (gone.2) as is_cut
from errata_read.kept_events
where received_at >= (select max(built_through) from errata_mart.variant_releases)
