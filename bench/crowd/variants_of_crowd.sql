insert into errata_raw.variants
    (project_id, variant_hash, first_seen_at, exemplar_id, type, title, culprit, level, platform, shape)
select
    {project_id:UInt32} as project_id,
    variants.variant_hash as variant_hash,
    seen.first_seen_at as first_seen_at,
    seen.exemplar_id as exemplar_id,
    variants.type as type,
    variants.title as title,
    variants.culprit as culprit,
    variants.level as level,
    variants.platform as platform,
    variants.shape as shape
from errata_ops.crowd_variants as variants
inner join (
    select
        variant_hash,
        min(occurred_at) as first_seen_at,
        argMin(item_id, occurred_at) as exemplar_id
    from errata_raw.error_events
    where project_id = {project_id:UInt32}
    group by variant_hash
) as seen on variants.variant_hash = seen.variant_hash
