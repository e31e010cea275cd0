-- purpose: whether a project's mapping stands where its configuration says, and every variant has its place there
-- returns: one row: in_force (the configuration of the mapping that is read), unmapped_count

select
    (
        select if(count() = 0, 1, argMax(configuration, switched_at))
        from errata_raw.grouping_switches
    ) as in_force,
    countIf(mapped_count = 0) as unmapped_count
from (
    select
        variant_hash,
        countIf(configuration = {configuration:UInt32} and authority < 2) as mapped_count
    from errata_raw.variant_issues
    group by variant_hash
)
