-- issue_totals_progress
-- purpose: whether the list can be answered from totals, what must be added to them, and who was decided about since
-- parameters: project_id, period, since
-- returns: one row: built_through (1970: the totals do not hold the period), counted_through, is_regrouped (merges, splits,
--   joins or a switch since), decided (issues decided about since), woken (that the clock woke since), arrived_count (events received since, copies included)
-- inputs:  errata_read.issue_totals, errata_read.issue_actions, errata_read.variant_issues,
--   errata_read.grouping_switches, errata_read.issue_states, errata_read.error_events

with (
    select (max(built_through), argMax(counted_through, built_through))
    from errata_read.issue_totals(projects = [{project_id:UInt32}])
    where period = {period:String} and since = {since:DateTime('UTC')} and is_whole
) as version

select
    version.1 as built_through,
    version.2 as counted_through,
    (
        select count()
        from errata_read.issue_actions(projects = [{project_id:UInt32}])
        where acted_at >= version.1 and action in ('merge', 'unmerge', 'join', 'follow')
    ) + (
        select count()
        from errata_read.variant_issues(projects = [{project_id:UInt32}])
        where recorded_at >= version.1 and authority > 0
    ) + (
        select count()
        from errata_read.grouping_switches(projects = [{project_id:UInt32}])
        where switched_at >= version.1
    ) > 0 as is_regrouped,
    (
        select groupUniqArray(issue_id)
        from errata_read.issue_actions(projects = [{project_id:UInt32}])
        where acted_at >= version.1
    ) as decided,
    (
        -- Ignored until a moment that has come since.
        select groupUniqArray(issue_id)
        from errata_read.issue_states(projects = [{project_id:UInt32}])
        where state = 'ignore' and until >= version.1 - interval 10 minute and until <= now64(3)
    ) as woken,
    (
        select count()
        from errata_read.error_events(projects = [{project_id:UInt32}])
        where received_at >= version.2
    ) as arrived_count
