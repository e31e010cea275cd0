-- purpose: the recorded rows of variants
-- returns: the columns of errata_raw.variants

select *
from errata_raw.variants
where
    project_id = {project_id:UInt32}
    and variant_hash in {variants:Array(UInt64)}
order by variant_hash, recorded_at
