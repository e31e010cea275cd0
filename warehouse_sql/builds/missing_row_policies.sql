-- purpose: which of these tables a user reads without the condition on rows that is wanted, however it is written
-- parameters: user, tables, conditions (of each table)

select wanted.1 as name
from (select arrayJoin(arrayZip({tables:Array(String)}, {conditions:Array(String)})) as wanted)
where
    (wanted.1, formatQuerySingleLine(concat('select ', wanted.2))) not in (
        select
            concat(database, '.', table),
            formatQuerySingleLine(concat('select ', assumeNotNull(select_filter)))
        from system.row_policies
        where has(apply_to_list, {user:String}) and select_filter is not null
    )
order by name
