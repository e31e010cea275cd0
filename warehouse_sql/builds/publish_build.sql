-- publish_build
-- purpose: publishes a build: its rows count from now on. A build that was paused and taken for dead publishes nothing, since another one may have dropped its rows
-- parameters: mart, number, table_uuid, watermark, attempt, window_count, row_count, seconds, waiting, waiting_since, waiting_rows, days, versions

insert into errata_ops.builds
    (mart, slot, number, table_uuid, watermark, attempt, window_count, row_count, seconds, waiting,
    partitions.day, partitions.version)
select
    {mart:String}, (max(latest.1) + 1) % 16, {number:UInt64}, {table_uuid:UUID},
    {watermark:DateTime64(3, 'UTC')}, {attempt:String}, {window_count:UInt32}, {row_count:UInt64},
    {seconds:Float32},
    arrayZip(
        {waiting:Array(DateTime('UTC'))},
        {waiting_since:Array(DateTime64(3, 'UTC'))},
        {waiting_rows:Array(UInt64)}
    ),
    {days:Array(Date)}, {versions:Array(UInt64)}
from (
    select argMax((slot, number), number) as latest
    from errata_ops.builds
    where mart = {mart:String}
)
having
    max(latest.2) < {number:UInt64}
    and (
        select count()
        from errata_ops.build_leases
        where mart = {mart:String} and attempt = {attempt:String} and state = 'revoked'
    ) = 0
