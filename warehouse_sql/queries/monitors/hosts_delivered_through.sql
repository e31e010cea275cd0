-- purpose: until which moment all lines that hosts wrote have been delivered
-- parameters: projects (whose keys the batches have), hosts, since (first day of receipt to look at), until (moment of receipt)
-- returns: one row per host that delivered: host, delivered_through (the moment of the newest line; of a host with files that are behind, of
--   the one that is most), last_received_at

select
    host,
    if(countIf(is_behind) > 0, minIf(newest_at, is_behind), max(newest_at)) as delivered_through,
    max(files.last_at) as last_received_at
from (
    select
        host,
        newest_at,
        last_at,
        -- A file without news for a day, while others arrive, is given up by the ledger, too.
        is_unended and last_at >= max(last_at) over (partition by host) - interval 1 day as is_behind
    from (
        select
            host,
            max(newest_logged_at) as newest_at,
            max(received_at) as last_at,
            max(byte_to) < max(file_bytes) and countIf(file_end != '') = 0 as is_unended
        from errata_raw.deliveries
        where
            project_id in {projects:Array(UInt32)}
            and has({hosts:Array(String)}, host)
            and received_at >= {since:DateTime('UTC')}
            and received_at < {until:DateTime64(3, 'UTC')}
        group by host, file, file_id
    )
) as files
group by host
order by host
