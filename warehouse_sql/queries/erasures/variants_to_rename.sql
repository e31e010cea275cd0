-- purpose: variants whose exemplar is an erased event, or whose texts name an erased user
-- returns: one row per variant: variant_hash, first_seen_at

select
    variant_hash,
    min(variants.first_seen_at) as first_seen_at
from errata_raw.variants as variants
where
    project_id = {project_id:UInt32}
    and (
        exemplar_id in (
            select item_id
            from errata_raw.erased_items
            where
                project_id = {project_id:UInt32}
                and erasure_id = {erasure_id:UUID}
        )
        or arrayExists(
            text -> positionCaseInsensitiveUTF8(concat(title, '\n', culprit, '\n', type, '\n', shape), text) > 0,
            {texts:Array(String)}
        )
    )
group by variant_hash
order by variant_hash
