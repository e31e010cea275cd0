-- purpose: the variants that one merge placed, and nobody since
-- parameters: batch_id (as text)
-- returns: one row per variant

select variant_hash
from errata_raw.variant_issues
where authority = 2
group by variant_hash
having JSONExtractString(argMax(explanation, recorded_at), 'batch') = {batch_id:String}
order by variant_hash
