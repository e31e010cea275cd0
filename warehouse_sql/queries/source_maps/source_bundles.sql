-- purpose: a project's uploads of source maps, with the events that were read through them
-- definition: Each upload of scripts and source maps counts once, however often it was sent. Variants are kinds of stack traces of which at
--   least one frame was read through the upload; it was last used when the latest of their events occurred, as of the last build. Sizes are
--   not compressed.
-- parameters: release (empty: all), limit
-- returns: one row per bundle, the latest upload first: bundle_id, release, dist, uploaded_at, uploaded_by, script_count, map_count, byte_count,
--   debug_id_count, variant_count (read through it), last_used_at (latest event of these; 1970: never)

with bundles as (
    select *
    from (
        select *
        from errata_raw.source_bundles
        where {release:String} = '' or release = {release:String}
        order by uploaded_at
        limit 1 by bundle_id
    )
    order by uploaded_at desc, bundle_id
    limit {limit:UInt32}
),

looks as (
    select
        variant_hash,
        bundles as bundle_ids
    from errata_raw.variant_sources
    order by looked_at desc
    limit 1 by variant_hash
),

totals as (
    select
        variant_hash,
        max(last_occurred_at) as occurred_last_at
    from errata_mart.variant_totals
    where
        period = 'all'
        and built_through = (
            select max(built_through)
            from errata_mart.variant_totals
        )
    group by variant_hash
),

uses as (
    select
        arrayJoin(looks.bundle_ids) as bundle_id,
        count() as variant_count,
        max(totals.occurred_last_at) as last_used_at
    from looks
    left join totals on looks.variant_hash = totals.variant_hash
    group by bundle_id
)

select
    bundles.* except (debug_ids),
    length(bundles.debug_ids) as debug_id_count,
    uses.variant_count as variant_count,
    uses.last_used_at as last_used_at
from bundles
left join uses on bundles.bundle_id = uses.bundle_id
order by uploaded_at desc, bundle_id
