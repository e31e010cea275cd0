-- purpose: the table that a mart had before this one, if its windows were found by the same search

select before.table_uuid as table_uuid, before.watermark as watermark
from (
    select build.table_uuid as table_uuid, build.watermark as watermark
    from errata_ops.builds as build
    where
        mart = {mart:String}
        and table_uuid not in (
            select uuid from system.tables where database = 'errata_mart' and name = {mart:String}
        )
    order by build.watermark desc
    limit 1
) as before
inner join (
    select
        arrivals.table_uuid as table_uuid,
        countIf(arrivals.search != {search:String}) as otherwise_found_count
    from errata_ops.window_arrivals as arrivals
    where mart = {mart:String}
    group by arrivals.table_uuid
) as found on before.table_uuid = found.table_uuid
where found.otherwise_found_count = 0
