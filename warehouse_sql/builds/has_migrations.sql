-- purpose: whether this warehouse was ever migrated

select count() > 0 as is_begun
from system.tables
where database = 'errata_ops' and name = 'mart_models'
