-- purpose: the views that this version or an earlier one created

select concat(database, '.', name) as view
from system.tables
where database = 'errata_read' and engine = 'View'
