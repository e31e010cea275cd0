-- totals_as_of_build
-- purpose: how many events each variant of a project has, as of the last build
-- parameters: project_id, after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant that a build has counted: event_count
-- inputs:  errata_read.variant_totals

select
    variant_hash,
    sum(totals.event_count) as event_count
from errata_read.variant_totals(projects = [{project_id:UInt32}]) as totals
where
    totals.variant_hash > {after:UInt64}
    and period = 'all'
    and built_through = (
        select max(built_through)
        from errata_read.variant_totals(projects = [{project_id:UInt32}])
    )
group by variant_hash
order by variant_hash
limit {limit:UInt32}
