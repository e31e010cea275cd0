-- purpose: events and users of each issue, in whole UTC days, as of the last build
-- parameters: project_id, since, until, environment, release, status
select
    issue_id,
    any(title) as title,
    sum(event_count) as events,
    uniqMerge(users) as distinct_users
from errata_analysis.issue_days_states
where
    project_id = {project_id:UInt32}
    and day >= {since:Date}
    and day < {until:Date}
    and ({environment:String} = '' or environment = {environment:String})
    and ({release:String} = '' or release = {release:String})
    and (
        {status:String} = ''
        or issue_id in (
            select issues.issue_id
            from errata_analysis.issues as issues
            where
                issues.project_id = {project_id:UInt32}
                and (
                    issues.status = {status:String}
                    or (issues.status = 'regressed' and {status:String} = 'unresolved')
                )
        )
    )
group by issue_id
order by events desc
