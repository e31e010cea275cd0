-- source_bundles
-- purpose: a project's uploads of source maps, with the events that were read through them
-- definition: Each upload of scripts and source maps counts once, however often it was sent. Variants are kinds of stack traces of which at
--   least one frame was read through the upload; it was last used when the latest of their events occurred. Sizes are not compressed.
-- parameters: release (empty: all), limit
-- returns: one row per bundle, the latest upload first: bundle_id, release, dist, uploaded_at, uploaded_by, script_count, map_count, byte_count,
--   debug_id_count, variant_count (read through it), last_used_at (latest event of these; 1970: never)
-- inputs:  errata_raw.source_bundles, errata_raw.variant_sources, errata_raw.error_events

with used as (
    select
        bundle_id,
        variant_hash
    from (
        select
            looks.variant_hash as variant_hash,
            argMax(looks.bundles, looks.looked_at) as bundles
        from errata_raw.variant_sources as looks
        group by variant_hash
    )
    array join bundles as bundle_id
),

latest as (
    select
        variant_hash,
        max(occurred_at) as occurred_last_at
    from errata_raw.error_events
    where variant_hash in (select variant_hash from used)
    group by variant_hash
),

uses as (
    select
        used.bundle_id as bundle_id,
        count() as variant_count,
        max(latest.occurred_last_at) as last_used_at
    from used
    left join latest on used.variant_hash = latest.variant_hash
    group by bundle_id
)

select
    bundles.bundle_id as bundle_id,
    bundles.release as release,
    bundles.dist as dist,
    bundles.uploaded_at as uploaded_at,
    bundles.uploaded_by as uploaded_by,
    bundles.script_count as script_count,
    bundles.map_count as map_count,
    bundles.byte_count as byte_count,
    length(bundles.debug_ids) as debug_id_count,
    uses.variant_count as variant_count,
    uses.last_used_at as last_used_at
from (
    select *
    from errata_raw.source_bundles
    where {release:String} = '' or release = {release:String}
    order by uploaded_at
    limit 1 by bundle_id
) as bundles
left join uses on bundles.bundle_id = uses.bundle_id
order by uploaded_at desc, bundle_id
limit {limit:UInt32}
