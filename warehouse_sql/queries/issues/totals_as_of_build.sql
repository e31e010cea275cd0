-- purpose: how many events each variant of a project has, as of the last build
-- definition: The number of error events of each variant, a group of events with the same fingerprint, each event once.
-- parameters: after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant that a build has counted: event_count

select
    variant_hash,
    sum(totals.event_count) as event_count
from errata_mart.variant_totals as totals
where
    totals.variant_hash > {after:UInt64}
    and period = 'all'
    and built_through = (
        select max(built_through)
        from errata_mart.variant_totals
    )
group by variant_hash
order by variant_hash
limit {limit:UInt32}
