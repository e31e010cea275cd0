-- purpose: what the pipelines found alike: all that is near-certain, or what concerns some issues
-- parameters: issue_ids (empty: any), near_certain_only
-- returns: one row per pair, its latest finding: issue_id, other_issue_id, score, is_near_certain, reason, found_at

select
    issue_id,
    other_issue_id,
    argMax(found.score, found_at) as score,
    argMax(found.is_near_certain, found_at) as is_near_certain,
    argMax(found.reason, found_at) as reason
from errata_mart.similar_issues as found
where
    empty({issue_ids:Array(UInt64)})
    or issue_id in {issue_ids:Array(UInt64)}
    or other_issue_id in {issue_ids:Array(UInt64)}
group by issue_id, other_issue_id
having not {near_certain_only:Bool} or is_near_certain
order by score desc, issue_id, other_issue_id
