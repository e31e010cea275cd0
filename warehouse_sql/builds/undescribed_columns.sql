-- undescribed_columns
-- purpose: the columns of marts without a comment

select
    concat(database, '.', table) as table,
    name
from system.columns
where database = 'errata_mart' and comment = ''
