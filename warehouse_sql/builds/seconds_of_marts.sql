-- purpose: how long a build of all windows of each mart takes: as long as those of its largest build did, window by window

select
    built.mart as mart,
    built.seconds_a_window * greatest(arrived.window_count, 1) as seconds
from (
    select
        builds.mart as mart,
        argMaxIf(builds.seconds / builds.window_count, builds.window_count, builds.window_count > 0) as seconds_a_window
    from errata_ops.builds as builds
    where has({marts:Array(String)}, builds.mart)
    group by mart
    having max(builds.window_count) > 0
) as built
left join (
    select mart, uniqExact(window_start) as window_count
    from errata_ops.window_arrivals
    where has({marts:Array(String)}, mart)
    group by mart
) as arrived on built.mart = arrived.mart
order by mart
