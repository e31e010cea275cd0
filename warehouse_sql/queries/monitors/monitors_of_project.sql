-- purpose: the monitors of a project by environment, with the newest configuration and the last check-in of each
-- parameters: slugs (empty: all), limit
-- returns: one row per monitor and environment: monitor_slug, environment, config (the monitor's newest as JSON; empty: none was sent),
--   first_at, last_at (of its check-ins)

select
    heads.monitor_slug as monitor_slug,
    heads.environment as environment,
    heads.first_at as first_at,
    heads.last_at as last_at,
    argMax(heads.own_config, heads.config_at) over (partition by heads.monitor_slug) as config
from (
    select
        monitor_slug,
        environment,
        min(occurred_at) as first_at,
        max(occurred_at) as last_at,
        argMaxIf(check_ins.config, occurred_at, check_ins.config != '')::String as own_config,
        maxIf(occurred_at, check_ins.config != '') as config_at
    from errata_raw.check_ins as check_ins
    where empty({slugs:Array(String)}) or has({slugs:Array(String)}, monitor_slug)
    group by monitor_slug, environment
) as heads
order by monitor_slug, environment
limit {limit:UInt32}
