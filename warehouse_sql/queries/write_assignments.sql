-- purpose: writes the issue of variants as the logs say by now; of two writers the one that read more of the logs wins
-- parameters: projects (none: all), is_chosen (only variants named in `variants`, mapped to or deleted with one of `issues`), variants, issues
-- returns: nothing

insert into errata_raw.variant_assignments
(
    project_id,
    variant_hash,
    issue_id,
    own_issue_id,
    is_merged,
    is_placed,
    first_seen_at,
    cut_at,
    assigned_at,
    version
)
select
    project_id,
    variant_hash,
    issue_id,
    own_issue_id,
    is_merged,
    is_placed,
    first_seen_at,
    cut_at,
    now64(3) as assigned_at,
    version
from errata_read.assignments_by_log(
    projects = {projects:Array(UInt32)},
    is_chosen = {is_chosen:Bool},
    variants = {variants:Array(UInt64)},
    issues = {issues:Array(UInt64)}
)
-- One part, so that no reader sees half of a regrouping.
settings max_insert_threads = 1, min_insert_block_size_rows = 100000000, min_insert_block_size_bytes = 0
