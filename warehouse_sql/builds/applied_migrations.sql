-- purpose: the migrations that were applied, with the hashes that their files had

select
    name,
    any(file_hash) as file_hash
from errata_ops.migrations
group by name
