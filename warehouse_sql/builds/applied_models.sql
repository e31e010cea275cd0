-- purpose: the hash that each mart's model had when its table was made

select
    mart,
    argMax(file_hash, created_at) as file_hash
from errata_ops.mart_models
group by mart
