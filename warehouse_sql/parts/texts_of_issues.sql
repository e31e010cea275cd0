-- purpose: what the variants of each issue are called, for conditions on it
-- returns: one row per issue: titles, culprits, texts
select
    assigned.issue_id as issue_id,
    groupUniqArray(variants.title) as titles,
    groupUniqArray(variants.culprit) as culprits,
    groupUniqArray(concat(variants.title, ' ', variants.culprit, ' ', variants.type)) as texts
from errata_raw.variants as variants
inner join errata_raw.variant_assignments as assigned final on variants.variant_hash = assigned.variant_hash
group by issue_id
