-- variants_of_parts
-- purpose: the variants that are in some issues by now, as in errata_read.issue_variants, without resolving the rest of a project
-- parameters: part_ids, configuration (of grouping, in force)
-- returns: one row per variant: the issue it is in, and whether a person placed it there
-- inputs:  errata_raw.variant_issues

select
    variant_hash,
    argMaxIf(issue_id, recorded_at, authority = 2) as placed_in,
    argMaxIf(
        issue_id,
        (configuration = {configuration:UInt32}, authority, recorded_at),
        authority < 2
    ) as mapped_to,
    if(placed_in != 0, placed_in, mapped_to) as own_issue_id
from errata_raw.variant_issues
where
    variant_hash in (
        -- Those that were ever in one of them.
        select variant_hash
        from errata_raw.variant_issues
        where issue_id in {part_ids:Array(UInt64)}
    )
group by variant_hash
having own_issue_id in {part_ids:Array(UInt64)}
