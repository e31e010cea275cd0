-- sizes_of_logs
-- purpose: numbers that change with whatever is decided about a project's issues, and the warehouse's clock
-- returns: one row: asked_at, actions, mappings, switches
-- inputs:  errata_raw.issue_actions, errata_raw.variant_issues, errata_raw.grouping_switches

select
    now64(3, 'UTC') as asked_at,
    sumIf(entry_count, log = 'actions') as actions,
    sumIf(entry_count, log = 'mappings') as mappings,
    sumIf(entry_count, log = 'switches') as switches
from (
    select
        'actions' as log,
        count() as entry_count
    from errata_raw.issue_actions
    union all
    select
        'mappings' as log,
        count() as entry_count
    from errata_raw.variant_issues
    union all
    select
        'switches' as log,
        count() as entry_count
    from errata_raw.grouping_switches
)
