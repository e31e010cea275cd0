-- purpose: what a configuration of grouping has mapped already
-- parameters: configuration, after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant: issue_id, fingerprint_hash

select
    variant_hash,
    argMax(mapped.issue_id, (authority, recorded_at)) as issue_id,
    argMax(mapped.fingerprint_hash, (authority, recorded_at)) as fingerprint_hash
from errata_raw.variant_issues as mapped
where
    mapped.variant_hash > {after:UInt64}
    and configuration = {configuration:UInt32}
    and authority < 2
group by variant_hash
order by variant_hash
limit {limit:UInt32}
