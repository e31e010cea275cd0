-- purpose: uploads that no kept event uses: old ones, for a release without events, and through which no variant with events was read
-- returns: one row per bundle: bundle_id

select bundle_id
from errata_raw.source_bundles
where
    uploaded_at < {uploaded_before:DateTime64(3, 'UTC')}
    and release not in (
        select release
        from errata_raw.error_events
        where release != ''
    )
    and bundle_id not in (
        select arrayJoin(bundles) as bundle_id
        from (
            select
                looks.variant_hash as variant_hash,
                argMax(looks.bundles, looks.looked_at) as bundles
            from errata_raw.variant_sources as looks
            group by variant_hash
        )
        where variant_hash in (select variant_hash from errata_raw.error_events)
    )
group by bundle_id
