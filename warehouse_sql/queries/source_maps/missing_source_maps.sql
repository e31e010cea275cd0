-- purpose: scripts without a source map that serves, by how many events of the last 30 days one would make readable
-- definition: Scripts in stack traces that no uploaded source map serves. Events are those of the last 30 days whose stack trace has the
--   script, as of the last build; an event with two such scripts counts for both.
-- returns: one row per script, release and dist, the one with most events first: name, debug_id, release, dist, event_count, variant_count

with looks as (
    select
        variant_hash,
        release,
        dist,
        missing.name as names,
        missing.debug_id as debug_ids
    from errata_raw.variant_sources
    order by looked_at desc
    limit 1 by variant_hash
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
    looks.release as release,
    looks.dist as dist,
    sum(totals.event_count) as event_count,
    count() as variant_count
from looks
array join looks.names as name, looks.debug_ids as debug_id
left join totals on looks.variant_hash = totals.variant_hash
group by name, debug_id, release, dist
order by event_count desc, variant_count desc, release desc, name
limit {limit:UInt32}
