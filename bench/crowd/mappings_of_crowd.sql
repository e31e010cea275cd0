insert into errata_raw.variant_issues
    (project_id, variant_hash, recorded_at, issue_id, authority, fingerprint_hash, fingerprint_version, fingerprint, explanation, actor)
select
    {project_id:UInt32} as project_id,
    variant_hash,
    now64(6) - toIntervalDay(1) + toIntervalSecond(authority) as recorded_at,
    if(authority = 0, issue_id, joined_issue_id) as issue_id,
    arrayJoin(if(joined_issue_id = 0, [0, 0], [0, 1])) as authority,
    fingerprint_hash,
    fingerprint_version,
    fingerprint,
    explanation,
    '' as actor
from errata_ops.crowd_variants
where variant_hash in (select variant_hash from errata_raw.variants where project_id = {project_id:UInt32})
limit 1 by variant_hash, authority
