-- purpose: what the pipelines found that some rules make of a project's variants
-- parameters: rules_hash, after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant: fingerprint_hash, fingerprint

select
    variant_hash,
    any(proposals.fingerprint_hash) as fingerprint_hash,
    any(proposals.fingerprint) as fingerprint
from errata_mart.regrouping_proposals as proposals
where
    rules_hash = {rules_hash:UInt64}
    and proposals.variant_hash > {after:UInt64}
group by variant_hash
order by variant_hash
limit {limit:UInt32}
