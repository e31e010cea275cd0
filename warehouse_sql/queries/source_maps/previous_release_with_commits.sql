-- purpose: the release whose commits were recorded last before this one: a tool sends those since
-- returns: at most one row: release, commit_id (its latest), recorded_last_at

select
    release,
    argMin(commit_id, position) as commit_id,
    max(recorded_at) as recorded_last_at
from errata_raw.release_commits
where release != {release:String}
group by release
order by recorded_last_at desc
limit 1
