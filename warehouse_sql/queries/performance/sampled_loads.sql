-- purpose: page loads of a period, or a fair share of them, chosen by a hash of their view ids
-- definition: The page loads whose resources were examined for recommendations; savings are computed from what these loads measured.
-- parameters: since, until, one_of (8: every eighth), ${filters} (empty: all), limit
-- returns: one row per load: where and whose it was, when it arrived, its timings and vitals (nan: not measured), and what its vitals come from

select
    project_id,
    view_id,
    received_at,
    page,
    url,
    user_hash,
    started_at_ms,
    load_ms,
    ttfb_ms,
    fcp_ms,
    lcp_ms,
    lcp_url,
    cls,
    causes
from errata_mart.page_loads
where
    navigation_type = 'navigate'
    and view_id != 0
    and hour >= {since:DateTime('UTC')}
    and hour < {until:DateTime('UTC')}
    and cityHash64(view_id) % {one_of:UInt32} = 0
    and ${filters}
order by view_id
limit {limit:UInt32}
