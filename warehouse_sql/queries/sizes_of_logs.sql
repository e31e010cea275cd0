-- sizes_of_logs
-- purpose: numbers that change with whatever is decided about a project's issues, and the warehouse's clock
-- parameters: project_id
-- returns: one row: asked_at, actions, mappings, switches
-- inputs:  errata_read.issue_actions, errata_read.variant_issues, errata_read.grouping_switches

select
    now64(3, 'UTC') as asked_at,
    sumIf(entry_count, log = 'actions') as actions,
    sumIf(entry_count, log = 'mappings') as mappings,
    sumIf(entry_count, log = 'switches') as switches
from (
    select
        'actions' as log,
        count() as entry_count
    from errata_read.issue_actions(projects = [{project_id:UInt32}])
    union all
    select
        'mappings' as log,
        count() as entry_count
    from errata_read.variant_issues(projects = [{project_id:UInt32}])
    union all
    select
        'switches' as log,
        count() as entry_count
    from errata_read.grouping_switches(projects = [{project_id:UInt32}])
)
