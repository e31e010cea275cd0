-- purpose: the issue that variants of these fingerprints went to so far: a new one of them goes there too
-- returns: one row per project, configuration and fingerprint: issue_id

select
    project_id,
    mapped.configuration as configuration,
    fingerprint_hash,
    argMax(mapped.issue_id, (authority, recorded_at)) as issue_id
from errata_raw.variant_issues as mapped
where
    project_id in {projects:Array(UInt32)}
    and fingerprint_hash in {fingerprint_hashes:Array(UInt64)}
    and authority < 2
group by project_id, configuration, fingerprint_hash
