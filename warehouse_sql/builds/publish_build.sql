-- purpose: publishes a build: its rows count from now on. A build that was paused and taken for dead publishes nothing, since another one may have dropped its rows; neither does one on a replica that is no longer the chosen one
-- A row takes the slot of the oldest build that nobody needs: the last one before ten minutes ago is needed, and all after it (needed_versions).

insert into errata_ops.builds
    (mart, slot, number, table_uuid, watermark, attempt, window_count, row_count, seconds, waiting, late,
    partitions.day, partitions.version, model_hash)
select
    {mart:String}, latest.next_slot, {number:UInt64}, {table_uuid:UUID},
    {watermark:DateTime64(3, 'UTC')}, {attempt:String}, {window_count:UInt32}, {row_count:UInt64},
    {seconds:Float32},
    arrayZip(
        {waiting:Array(DateTime('UTC'))},
        {waiting_since:Array(DateTime64(3, 'UTC'))},
        {waiting_rows:Array(UInt64)}
    ),
    arrayZip(
        {late_projects:Array(UInt64)},
        {late_days:Array(Date)},
        {late_since:Array(DateTime64(3, 'UTC'))}
    ),
    {days:Array(Date)}, {versions:Array(UInt64)}, {model_hash:String}
from (
    select
        max(builds.number) as number,
        multiIf(
            countIf(finished_at < now64(6) - interval 10 minute) > 1 or max(slot) = 255, argMin(slot, builds.number),
            count() = 0, 0,
            max(slot) + 1
        ) as next_slot
    from errata_ops.builds as builds final
    where mart = {mart:String}
) as latest
where
    latest.number < {number:UInt64}
    and (
        select count()
        from errata_ops.build_leases
        where mart = {mart:String} and attempt = {attempt:String} and state = 'revoked'
    ) = 0
    and (
        select count()
        from errata_ops.build_server
        where server != {server:String}
    ) = 0
