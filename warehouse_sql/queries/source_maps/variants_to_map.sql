-- purpose: variants of JavaScript that are to be read through source maps: never looked at, or with maps missing since when a bundle for their
--   release or build was uploaded, or an event of another release with uploads was received
-- returns: one row per variant, the one seen first first: variant_hash, first_seen_at

with looks as (
    select
        looks.variant_hash as variant_hash,
        max(looks.looked_at) as looked_last_at,
        argMax(looks.release, looks.looked_at) as release,
        argMax(looks.missing.debug_id, looks.looked_at) as missing_ids,
        argMax(looks.mapped_count < looks.minified_count, looks.looked_at) as has_missing
    from errata_raw.variant_sources as looks
    group by variant_hash
),

never_looked as (
    select
        variant_hash,
        min(recorded_at) as recorded_at
    from errata_raw.variants
    where
        platform in ('javascript', 'node')
        and variant_hash not in (select variant_hash from looks)
    group by variant_hash
),

to_map as (
    -- A variant is stored before its first event.
    select variant_hash
    from never_looked
    where
        recorded_at < {received_since:DateTime64(3, 'UTC')}
        or variant_hash in (
            select variant_hash
            from errata_raw.error_events
            where
                received_at >= {received_since:DateTime64(3, 'UTC')}
                and variant_hash in (select variant_hash from never_looked)
        )
    union distinct
    select looks.variant_hash
    from looks
    inner join errata_raw.source_bundles as bundles on looks.release = bundles.release
    where
        looks.has_missing
        and looks.release != ''
        and bundles.uploaded_at > looks.looked_last_at
    union distinct
    select missing.variant_hash
    from (
        select
            variant_hash,
            looked_last_at,
            arrayJoin(missing_ids) as debug_id
        from looks
        where has_missing
    ) as missing
    inner join (
        select
            uploaded_at,
            arrayJoin(debug_ids) as debug_id
        from errata_raw.source_bundles
    ) as uploaded on missing.debug_id = uploaded.debug_id
    where uploaded.uploaded_at > missing.looked_last_at
    union distinct
    select events.variant_hash
    from errata_raw.error_events as events
    inner join looks on events.variant_hash = looks.variant_hash
    where
        events.received_at >= {received_since:DateTime64(3, 'UTC')}
        and events.received_at > looks.looked_last_at
        and looks.has_missing
        and events.release != looks.release
        and events.release in (select release from errata_raw.source_bundles)
)

select
    variant_hash,
    min(variants.first_seen_at) as first_seen_at
from errata_raw.variants as variants
where variant_hash in (select variant_hash from to_map)
group by variant_hash
order by first_seen_at, variant_hash
limit {limit:UInt32}
