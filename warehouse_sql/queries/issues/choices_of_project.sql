-- purpose: the environments and releases that a project's issues can be narrowed to: those seen in a period
-- returns: one row per environment and one per release, the one seen latest first: name (environment, release), value

select
    name,
    value
from errata_read.seen_choices
where last_seen >= {since:DateTime('UTC')}
order by last_seen desc, value
