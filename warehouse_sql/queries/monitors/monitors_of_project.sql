-- purpose: the monitors of a project by environment, with the newest configuration and the last check-in of each
-- parameters: monitor_slug (empty: all), limit
-- returns: one row per monitor and environment: monitor_slug, environment, config (the monitor's newest as JSON; empty: none was sent),
--   last_at

select
    heads.monitor_slug as monitor_slug,
    heads.environment as environment,
    heads.last_at as last_at,
    argMax(heads.own_config, heads.config_at) over (partition by heads.monitor_slug) as config
from (
    select
        monitor_slug,
        environment,
        max(occurred_at) as last_at,
        argMaxIf(check_ins.config, occurred_at, check_ins.config != '')::String as own_config,
        maxIf(occurred_at, check_ins.config != '') as config_at
    from errata_raw.check_ins as check_ins
    where {monitor_slug:String} = '' or monitor_slug = {monitor_slug:String}
    group by monitor_slug, environment
) as heads
order by monitor_slug, environment
limit {limit:UInt32}
