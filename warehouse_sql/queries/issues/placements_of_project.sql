-- purpose: a stretch of a project's variants, and where each is: what another configuration starts from
-- parameters: after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant: its issue, its own issue (before merges), whether a person placed it, when it was seen first

select
    variant_hash,
    issue_id,
    own_issue_id,
    is_placed,
    toUnixTimestamp64Milli(first_seen_at) as first_seen_ms
-- Decisions read the logs: a process may have ended before it wrote the assignments.
from errata_read.assignments_by_log(
    projects = [], is_chosen = false, variants = [], issues = []
)
where variant_hash > {after:UInt64}
order by variant_hash
limit {limit:UInt32}
