-- missing_source_maps
-- purpose: scripts without a source map that serves, by how many events of the last 30 days one would make readable
-- definition: Scripts in stack traces that no uploaded source map serves. Events are those of the last 30 days whose stack trace has the
--   script, as of the last build; an event with two such scripts counts for both.
-- parameters: limit
-- returns: one row per script, release and dist, the one with most events first: name, debug_id, release, dist, event_count, variant_count
-- inputs:  errata_raw.variant_sources, errata_mart.variant_totals

with missing as (
    select
        looks.variant_hash as variant_hash,
        argMax((looks.release, looks.dist, looks.missing.name, looks.missing.debug_id), looks.looked_at) as latest
    from errata_raw.variant_sources as looks
    group by variant_hash
),

totals as (
    select
        variant_hash,
        sum(totals.event_count) as event_count
    from errata_mart.variant_totals as totals
    where
        period = '30d'
        and built_through = (
            select max(built_through)
            from errata_mart.variant_totals
        )
        -- Near midnight there are rows of the next 30 days, too.
        and since = (
            select min(since)
            from errata_mart.variant_totals
            where period = '30d'
        )
    group by variant_hash
)

select
    name,
    debug_id,
    tupleElement(latest, 1) as release,
    tupleElement(latest, 2) as dist,
    sum(totals.event_count) as event_count,
    count() as variant_count
from missing
array join tupleElement(latest, 3) as name, tupleElement(latest, 4) as debug_id
left join totals on missing.variant_hash = totals.variant_hash
group by name, debug_id, release, dist
order by event_count desc, variant_count desc, release desc, name
limit {limit:UInt32}
