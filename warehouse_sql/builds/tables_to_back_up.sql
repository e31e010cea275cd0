-- purpose: the statement that makes each table of these databases anew, as the same table where show_table_uuid_in_table_create_query_if_not_nil says so

select
    database || '.' || name as name,
    create_table_query as create_statement
from system.tables
where has({databases:Array(String)}, database) and (endsWith(engine, 'MergeTree') or engine = 'KeeperMap')
order by name
