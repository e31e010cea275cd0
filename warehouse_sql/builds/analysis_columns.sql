-- purpose: the views for analysts with their columns and what each is, in the order of their declaration

select
    of_view.name as view,
    of_view.comment as purpose,
    of_column.name as column,
    of_column.comment as column_purpose
from system.columns as of_column
inner join system.tables as of_view on of_view.database = of_column.database and of_view.name = of_column.table
where of_column.database = 'errata_analysis' and not endsWith(of_view.name, '_states')
order by of_view.name, of_column.position
