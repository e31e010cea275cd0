-- purpose: the UTC days of the rows that an erasure removed, by raw table

select
    source,
    arraySort(groupUniqArray(occurred_on)) as days
from errata_raw.erased_items
where
    project_id = {project_id:UInt32}
    and erasure_id = {erasure_id:UUID}
group by source
