-- purpose: which API keys each host delivered with lately, by which shipper, and when it last did with each
-- parameters: projects, since (moment of receipt), moments (of receipt, to skip all other rows; empty: all)
-- returns: one row per host and API key; the host is empty for deliveries without a source, such as those of SDKs; lag_ms of the latest delivery is nan where its lines have no time of writing

select
    host,
    api_key_prefix,
    max(received_at) as last_received_at,
    argMax(deliveries.shipper_version, received_at) as shipper_version,
    argMax(
        if(
            newest_logged_at > toDateTime64(0, 3, 'UTC'),
            greatest(0, dateDiff('millisecond', newest_logged_at, received_at)),
            nan
        ),
        received_at
    ) as lag_ms
from errata_raw.deliveries as deliveries
where
    project_id in {projects:Array(UInt32)}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and (empty({moments:Array(DateTime64(3, 'UTC'))}) or received_at in {moments:Array(DateTime64(3, 'UTC'))})
    and api_key_prefix != ''
group by host, api_key_prefix
order by host, last_received_at desc
