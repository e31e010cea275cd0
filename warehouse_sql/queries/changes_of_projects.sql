-- changes_of_projects
-- purpose: a cheap look at whether anything came in or was decided: each number only grows, but for what is erased
-- parameters: projects, since
-- returns: one row: asked_at; event_count (received from since on), action_count, mapping_count, switch_count of all time
-- inputs:  errata_read.error_events, errata_read.issue_actions, errata_read.variant_issues, errata_read.grouping_switches

select
    now64(3) as asked_at,
    (
        select count()
        from errata_read.error_events(projects = {projects:Array(UInt32)})
        where received_at >= {since:DateTime64(3, 'UTC')}
    ) as event_count,
    (select count() from errata_read.issue_actions(projects = {projects:Array(UInt32)})) as action_count,
    (select count() from errata_read.variant_issues(projects = {projects:Array(UInt32)})) as mapping_count,
    (select count() from errata_read.grouping_switches(projects = {projects:Array(UInt32)})) as switch_count
