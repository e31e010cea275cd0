-- purpose: the last manual assignment of each variant: by whom, when and why
-- returns: one row per variant with a manual assignment: placed_because (JSON), placed_by, placed_at

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
