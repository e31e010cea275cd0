-- purpose: every release that events of a project came from, for comparisons by version
-- parameters: since (the start of a day), by_hour (false)
-- returns: one row per release

select distinct release
from (
    ${part:variant_counts}
)
where release != ''
settings enable_materialized_cte = 1
