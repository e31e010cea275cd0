-- purpose: the release that each of these issues would be mended in: the latest of the package it was last seen in, else of
--   the project
-- returns: one row per issue that a release is known for: issue_id, release

with releases as materialized (
    select
        release,
        package,
        is_version,
        position
    from errata_read.releases
    where last_seen > toDateTime64(0, 3, 'UTC')
),

latest as (
    select
        package,
        argMax(release, position) as release
    from releases
    where is_version
    group by package
),

last_seen as (
    select
        variants.issue_id as issue_id,
        argMaxIf(sightings.release::String, sightings.last_occurred_at, sightings.release != '') as release
    from errata_read.issue_variants as variants
    left join errata_read.release_sightings as sightings
        on variants.variant_hash = sightings.variant_hash
    where variants.issue_id in {issue_ids:Array(UInt64)}
    group by issue_id
)

select
    last_seen.issue_id as issue_id,
    if(latest.release != '', latest.release, (select argMax(release, position) from releases)) as release
from last_seen
left join releases on last_seen.release = releases.release
left join latest on releases.package = latest.package and releases.is_version
where release != ''
settings enable_materialized_cte = 1
