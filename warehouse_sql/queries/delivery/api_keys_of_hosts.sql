-- purpose: which API keys each host delivered with lately, and when it last did with each
-- parameters: projects, since (moment of receipt)
-- returns: one row per host and API key; the host is empty for deliveries without a source, such as those of SDKs

select
    host,
    api_key_prefix,
    max(received_at) as last_received_at,
    uniqExact(batch_id) as batch_count
from errata_raw.deliveries
where
    project_id in {projects:Array(UInt32)}
    and received_at >= {since:DateTime64(3, 'UTC')}
    and api_key_prefix != ''
group by host, api_key_prefix
order by host, last_received_at desc
