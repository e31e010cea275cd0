-- purpose: every release that events of a project came from, for comparisons by version
-- returns: one row per release

select distinct release
from errata_read.variant_counts(
    since = toDateTime(0, 'UTC'), by_hour = false
)
where release != ''
settings enable_materialized_cte = 1
