-- sizes_of_marts
-- purpose: what each mart takes, and how long its builds took: the seconds of a window in the largest one
-- parameters: marts

select
    stored.mart as mart,
    stored.byte_count as byte_count,
    stored.row_count as row_count,
    arrived.window_count as window_count,
    built.seconds_a_window as seconds_a_window
from (
    select table as mart, sum(bytes_on_disk) as byte_count, sum(rows) as row_count
    from system.parts
    where active and database = 'errata_mart' and has({marts:Array(String)}, mart)
    group by mart
) as stored
left join (
    select mart, uniqExact(window_start) as window_count
    from errata_ops.window_arrivals
    where has({marts:Array(String)}, mart)
    group by mart
) as arrived on stored.mart = arrived.mart
left join (
    select
        builds.mart as mart,
        argMaxIf(builds.seconds / builds.window_count, builds.window_count, builds.window_count > 0) as seconds_a_window
    from errata_ops.builds as builds
    where has({marts:Array(String)}, builds.mart)
    group by mart
) as built on stored.mart = built.mart
order by mart
