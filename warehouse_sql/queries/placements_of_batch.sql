-- placements_of_batch
-- purpose: the variants that one merge placed, and nobody since
-- parameters: project_id, batch_id (as text)
-- returns: one row per variant
-- inputs:  errata_read.variant_issues

select variant_hash
from errata_read.variant_issues(projects = [{project_id:UInt32}])
where authority = 2
group by variant_hash
having JSONExtractString(argMax(explanation, recorded_at), 'batch') = {batch_id:String}
order by variant_hash
