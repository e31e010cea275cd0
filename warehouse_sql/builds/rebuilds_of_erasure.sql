-- purpose: the builds that an erasure made

select
    mart,
    max(number) as number
from errata_ops.erased_marts
where erasure_id = {erasure_id:UUID} and mart != ''
group by mart
order by mart
