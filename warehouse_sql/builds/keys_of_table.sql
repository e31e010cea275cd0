-- purpose: what no alteration of a table changes: its keys, settings and indexes, replicated or not

select
    replaceRegexpOne(engine_full, '^\\w+(\\([^)]*\\))?', '') as settings,
    sorting_key,
    primary_key,
    partition_key,
    (
        select arrayStringConcat(arraySort(groupArray(concat(name, ' ', type_full, ' ', expr))), ', ')
        from system.data_skipping_indices
        where database = {database:String} and table = {table:String}
    ) as indexes
from system.tables
where database = {database:String} and name = {table:String}
