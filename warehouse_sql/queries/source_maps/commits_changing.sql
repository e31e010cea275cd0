-- purpose: the commits of a release, with those of their changed files that have one of some names
-- parameters: release, names (of files, without folders)
-- returns: one row per commit, the latest first: commit_id, message, author_name, committed_at (1970: not said), paths

select
    commit_id,
    message,
    author_name,
    committed_at,
    arrayFilter(path -> has({names:Array(String)}, splitByChar('/', path)[-1]), sent.paths) as paths
from (
    -- A tool that sends a commit again may have learned more of it.
    select *
    from errata_raw.release_commits
    where release = {release:String}
    order by recorded_at desc
    limit 1 by commit_id
) as sent
order by
    position,
    committed_at desc,
    commit_id
