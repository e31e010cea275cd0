-- purpose: which issues releases of a project brought, as of the last build, and which resolved ones they brought back
-- returns: one row per release: new_issues, regressed_issues (ids)

select
    release,
    groupArrayIf(issue_id, is_new) as new_issues,
    groupArrayIf(issue_id, not is_new) as regressed_issues
from (
    select
        first_release as release,
        issue_id,
        true as is_new
    from errata_mart.issues
    where built_through = (select max(built_through) from errata_mart.issues)
    union distinct
    select
        JSONExtractString(detail, 'release') as release,
        issue_id,
        false as is_new
    from errata_read.actions_in_force
    where action = 'regress'
) as issues
where release in {releases:Array(String)}
group by release
