-- purpose: how far marts are, and when the first rows came that they lack: by parts, so that no row is read
-- parameters: marts, raw (the tables whose rows they wait for), all_raw (every table whose rows a mart counts)

with (
    select
        -- One that was never built is behind by all there is.
        if(count() < length({marts:Array(String)}), toDateTime64(0, 3, 'UTC'), min(watermark))
    from (
        select
            mart,
            max(watermark) as watermark
        from errata_ops.builds
        where
            mart in {marts:Array(String)}
            and (mart, table_uuid) in (
                select name, uuid from system.tables where database = 'errata_mart'
            )
        group by mart
    )
) as built_through

select
    built_through as since,
    now64(3, 'UTC') as now,
    -- A part that was merged with counted rows holds new ones since nobody knows when.
    minOrNullIf(
        greatest(min_time, toDateTime(built_through)),
        concat(database, '.', table) in {raw:Array(String)}
    ) as first_at,
    count() = 0 as is_at_rest
from system.parts
where
    database = 'errata_raw'
    and concat(database, '.', table) in {all_raw:Array(String)}
    and active
    and max_time >= toDateTime(built_through)
