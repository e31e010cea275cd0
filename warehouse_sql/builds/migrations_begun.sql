-- purpose: how many statements of each migration were executed, for those that were cut off in the middle

select
    name,
    max(statement_count) as statement_count
from errata_ops.migrations_begun
where (name, file_hash) not in (select name, file_hash from errata_ops.migrations)
group by name
