-- purpose: what a page without figures says: whether a project has ever sent page loads or calls, and whether some wait for a build
-- returns: one row: is_any (anything at all ever received), has_loads, has_calls (ever received), has_releases (page loads that name one), is_waiting (page loads), are_calls_waiting

select
    exists(select 1 from errata_raw.page_views) as has_loads,
    exists(select 1 from errata_raw.page_views where release != '') as has_releases,
    exists(
        select 1
        from errata_raw.page_views
        where received_at >= {built_through:DateTime64(3, 'UTC')}
    ) as is_waiting,
    exists(select 1 from errata_raw.requests) as has_calls,
    exists(
        select 1
        from errata_raw.requests
        where received_at >= {built_through:DateTime64(3, 'UTC')}
    ) as are_calls_waiting,
    has_loads
    or has_calls
    or exists(select 1 from errata_raw.deliveries)
    or exists(select 1 from errata_raw.error_events)
    or exists(select 1 from errata_raw.sessions) as is_any
