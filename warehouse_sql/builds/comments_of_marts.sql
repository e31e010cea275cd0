-- purpose: the comment of each column of the marts

select
    concat(database, '.', table) as table,
    name,
    comment
from system.columns
where database = 'errata_mart'
