-- purpose: the inserts that have run for longer than a number of seconds

select count() as insert_count
from system.processes
where
    elapsed > {seconds:Float64}
    and query_kind in ('Insert', 'Alter', 'Delete')
