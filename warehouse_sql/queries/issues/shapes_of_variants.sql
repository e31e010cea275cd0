-- purpose: what some variants are made of, and what people know them by
-- returns: one row per variant: shape, title, culprit

select
    variant_hash,
    argMin(variants.shape, variants.precedence) as shape,
    argMin(variants.title, variants.precedence) as title,
    argMin(variants.culprit, variants.precedence) as culprit
from errata_raw.variants as variants
where variant_hash in {variant_hashes:Array(UInt64)}
group by variant_hash
