-- purpose: the columns of a table, in order

select
    name,
    type,
    default_kind,
    default_expression
from system.columns
where database = {database:String} and table = {table:String}
order by position
