-- purpose: a stretch of a project's variants with the issue each is in and the shape its stack is read from
-- parameters: project_id, since, after (a variant's hash: the last of the stretch before), limit
-- returns: one row per variant: issue_id, first_seen_ms, is_new (recorded since), shape

with stretch as (
    select
        variant_hash,
        argMin(shape, precedence) as shape,
        max(recorded_at >= {since:DateTime64(3, 'UTC')}) as is_new
    from errata_raw.variants
    where
        project_id = {project_id:UInt32}
        and variant_hash > {after:UInt64}
    group by variant_hash
    order by variant_hash
    limit {limit:UInt32}
)

select
    stretch.variant_hash as variant_hash,
    stretch.shape as shape,
    stretch.is_new as is_new,
    variants.issue_id as issue_id,
    toUnixTimestamp64Milli(variants.first_seen_at) as first_seen_ms
from stretch
inner join errata_read.issue_variants as variants
    on stretch.variant_hash = variants.variant_hash
order by variant_hash
