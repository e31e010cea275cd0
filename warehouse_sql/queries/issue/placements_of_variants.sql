-- placements_of_variants
-- purpose: who placed variants where they are, and why: the last word of a person about each
-- parameters: variants
-- returns: one row per variant that a person ever placed: placed_because (JSON), placed_by, placed_at
-- inputs:  errata_raw.variant_issues

select
    variant_hash,
    explanation as placed_because,
    actor::String as placed_by,
    recorded_at as placed_at
from errata_raw.variant_issues
where
    variant_hash in {variants:Array(UInt64)}
    and authority = 2
order by recorded_at desc
limit 1 by variant_hash
