-- purpose: issues that were first seen in a release, as of the last build
-- returns: one row per other issue, the one with most events first; begun_count: all of them; issue_count: all issues of the project

select
    issue_id,
    title,
    culprit,
    type,
    level,
    first_seen,
    event_count,
    count() over () as begun_count,
    (
        select count()
        from errata_mart.issues
        where built_through = (select max(built_through) from errata_mart.issues)
    ) as issue_count
from errata_mart.issues
where
    built_through = (select max(built_through) from errata_mart.issues)
    and first_release = {release:String}
    and issue_id != {issue_id:UInt64}
order by event_count desc, issue_id
limit {issue_limit:UInt16}
