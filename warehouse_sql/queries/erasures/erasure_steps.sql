-- purpose: each erasure as of its latest step
-- parameters: projects (none: all), erasure_id (nil: all)
-- returns: one row per erasure, the last one first: its columns, with recorded_at of the latest step, and steps

select
    project_id,
    erasure_id,
    argMax(erasures.state, erasures.recorded_at) as state,
    max(erasures.recorded_at) as recorded_at,
    any(erasures.kind) as kind,
    any(erasures.subject) as subject,
    argMax(erasures.sealed_id, erasures.recorded_at) as sealed_id,
    any(erasures.asked_by) as asked_by,
    any(erasures.asked_at) as asked_at,
    any(erasures.is_deleted) as is_deleted,
    argMax(erasures.row_counts, erasures.recorded_at) as row_counts,
    argMax(erasures.issues, erasures.recorded_at) as issues,
    argMax(erasures.variants, erasures.recorded_at) as variants,
    argMax(erasures.renamed_variants, erasures.recorded_at) as renamed_variants,
    argMax(erasures.replaced_counts, erasures.recorded_at) as replaced_counts,
    argMax(erasures.reason, erasures.recorded_at) as reason,
    arraySort(groupArray((erasures.recorded_at, erasures.state))) as steps
from errata_raw.erasures as erasures
where
    (empty({projects:Array(UInt32)}) or project_id in {projects:Array(UInt32)})
    and ({erasure_id:UUID} = toUUID('00000000-0000-0000-0000-000000000000') or erasure_id = {erasure_id:UUID})
group by project_id, erasure_id
order by asked_at desc, erasure_id
limit 1000
