-- errata_mart.regrouping_proposals
-- purpose: the fingerprint that each variant of history would have under a configuration of grouping that waits to be applied
-- grain:   one row per rules and variant
-- key:     project_id, rules_hash, variant_hash
-- engine:  MergeTree, append-only: what a version and its rules make of a variant never changes; kept for 30 days
-- order:   all variants under some rules
-- inputs:  none

create table errata_mart.regrouping_proposals
(
    project_id UInt32,
    rules_hash UInt64 comment 'of the version and the text of the rules',
    variant_hash UInt64,
    fingerprint_hash UInt64,
    fingerprint Array(String),
    proposed_at DateTime('UTC') default now()
)
engine = MergeTree
order by (project_id, rules_hash, variant_hash)
ttl proposed_at + interval 30 day;
