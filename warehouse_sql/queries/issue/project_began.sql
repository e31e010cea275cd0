-- project_began
-- purpose: when the first event of a project came in: no chart of its events begins long before
-- returns: one row: began_at, variant_count (0: no event yet)
-- inputs:  errata_raw.variants

select
    min(first_seen_at) as began_at,
    count() as variant_count
from errata_raw.variants
