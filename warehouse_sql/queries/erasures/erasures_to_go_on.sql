-- purpose: erasures that the API has not finished, oldest first
-- returns: one row per erasure: project_id, erasure_id

select
    project_id,
    erasure_id,
    argMax(state, recorded_at) as latest,
    min(asked_at) as since
from errata_raw.erasures
group by project_id, erasure_id
having latest != 'settled'
order by since, erasure_id
