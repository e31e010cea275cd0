-- purpose: where most of an issue's events went, once its last variant was moved out of it
-- parameters: issue_id, whole_id (the issue it is part of, else itself), since (the start of a day), by_hour (false)
-- returns: no row where the whole has variants, or the issue never had any; else one: issue_id

with variants as materialized (
    select
        variant_hash,
        issue_id
    from errata_read.issue_variants
    where
        issue_id = {whole_id:UInt64}
        or variant_hash in (
            -- By any configuration and anyone.
            select variant_hash
            from errata_raw.variant_issues
            where issue_id = {issue_id:UInt64}
        )
),

counted as (
    select
        variant_hash,
        sum(counts.event_count) as event_count
    from (
        ${part:variant_counts}
    ) as counts
    where variant_hash in (select variant_hash from variants)
    group by variant_hash
)

select variants.issue_id as issue_id
from variants
left join counted on variants.variant_hash = counted.variant_hash
group by issue_id
having not exists (select 1 from variants where issue_id = {whole_id:UInt64})
order by sum(counted.event_count) desc, count() desc, issue_id
limit 1
settings enable_materialized_cte = 1
