-- issues_of_variants
-- purpose: the issues that some variants belong to by now, as in errata_read.issue_variants, without resolving the rest of a project
-- parameters: variants
-- returns: one row per variant that is in an issue: issue_id is its own, or the one that was merged into (is_merged)
-- inputs:  errata_raw.variant_issues, errata_raw.grouping_switches, errata_raw.issue_actions

select
    mapped.variant_hash as variant_hash,
    if(merges.whole_issue_id != 0, merges.whole_issue_id, mapped.own_issue_id) as issue_id,
    merges.whole_issue_id != 0 as is_merged
from (
    select
        variant_hash,
        argMaxIf(issue_id, recorded_at, authority = 2) as placed_in,
        argMaxIf(
            issue_id,
            (
                configuration = (
                    select if(count() = 0, 1, argMax(configuration, switched_at))
                    from errata_raw.grouping_switches
                ),
                authority,
                recorded_at
            ),
            authority < 2
        ) as mapped_to,
        if(placed_in != 0, placed_in, mapped_to) as own_issue_id
    from errata_raw.variant_issues
    where variant_hash in {variants:Array(UInt64)}
    group by variant_hash
) as mapped
left join (
    select
        issue_id,
        argMax(if(action = 'unmerge', 0, target_issue_id), acted_at) as whole_issue_id
    from errata_raw.issue_actions
    where action in ('merge', 'unmerge', 'join', 'follow')
    group by issue_id
    having whole_issue_id not in (0, issue_id)
) as merges
    on mapped.own_issue_id = merges.issue_id
where issue_id != 0
