-- purpose: the commits of a release, as upload tools sent them
-- definition: The commits that the build's tool sent for the release: those since the release before it. Files are those that a commit changed.
-- returns: one row per commit, the latest first: commit_id, message, author_name, committed_at (1970: not said), file_count

select
    commit_id,
    message,
    author_name,
    committed_at,
    length(paths) as file_count
from (
    -- A tool that sends a commit again may have learned more of it.
    select *
    from errata_raw.release_commits
    where release = {release:String}
    order by recorded_at desc
    limit 1 by commit_id
)
order by
    position,
    committed_at desc,
    commit_id
limit {limit:UInt32}
