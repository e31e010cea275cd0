-- errata_read.seen_choices
-- purpose: the environments and releases that projects' events name, by marts and events received since. Tables are read here, not views of
--   them, as in decisions_since_build
-- returns: one row per environment and one per release: name (environment, release), value, last_seen
-- inputs:  errata_mart.variant_totals, errata_mart.variant_releases, errata_raw.error_events

create or replace view errata_read.seen_choices
sql security invoker
as
select
    name,
    value,
    max(seen.last_seen) as last_seen
from (
    select
        'environment' as name,
        environment::String as value,
        last_occurred_at as last_seen
    from errata_mart.variant_totals
    where period = 'all'
    union all
    select
        'release' as name,
        release::String as value,
        last_occurred_at as last_seen
    from errata_mart.variant_releases
    union all
    select
        pair.1 as name,
        pair.2 as value,
        occurred_at as last_seen
    from errata_raw.error_events
    array join [('environment', environment::String), ('release', release::String)] as pair
    where
        received_at >= least(
            (select max(built_through) from errata_mart.variant_totals),
            (select max(built_through) from errata_mart.variant_releases)
        )
) as seen
where value != ''
group by name, value
