-- unsettled_grouping
-- purpose: whether a project's mapping stands where its configuration says, and every variant has its place there
-- parameters: project_id, configuration
-- returns: one row: in_force (the configuration of the mapping that is read), unmapped_count
-- inputs:  errata_read.grouping_switches, errata_read.variant_issues

select
    (
        select if(count() = 0, 1, argMax(configuration, switched_at))
        from errata_read.grouping_switches(projects = [{project_id:UInt32}])
    ) as in_force,
    countIf(mapped_count = 0) as unmapped_count
from (
    select
        variant_hash,
        countIf(configuration = {configuration:UInt32} and authority < 2) as mapped_count
    from errata_read.variant_issues(projects = [{project_id:UInt32}])
    group by variant_hash
)
