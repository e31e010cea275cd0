-- purpose: the issues of fingerprints that were made of original frames: others may not begin with the same id
-- parameters: configuration, variants (left out: those that are being mapped)
-- returns: one row per fingerprint: fingerprint_hash, issue_id

select
    fingerprint_hash,
    argMax(issue_id, recorded_at) as issue_id
from (
    select
        variant_hash,
        argMax(mapped.fingerprint_hash, (authority, mapped.recorded_at)) as fingerprint_hash,
        argMax(mapped.issue_id, (authority, mapped.recorded_at)) as issue_id,
        max(mapped.recorded_at) as recorded_at
    from errata_raw.variant_issues as mapped
    where
        configuration = {configuration:UInt32}
        and authority < 2
        and variant_hash in (
            select variant_hash
            from errata_raw.variants
            where mapped_at > toDateTime64(0, 3, 'UTC')
        )
        and variant_hash not in {variants:Array(UInt64)}
    group by variant_hash
)
group by fingerprint_hash
