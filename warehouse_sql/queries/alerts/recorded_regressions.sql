-- purpose: regressions recorded in a span, each with its resolution
-- definition: Resolved issues that occurred again in the tested period.
-- returns: one row per resolution: issue_id, resolution_id, resolved_at, regressed_at

select
    issue_id,
    if(action = 'regress', about_action_id, action_id) as resolution_id,
    anyIf(acted_at, action = 'resolve') as resolved_at,
    minIf(acted_at, action = 'regress') as regressed_at
from errata_read.actions_in_force
where
    action = 'resolve'
    or (
        action = 'regress'
        and acted_at >= {since:DateTime64(3, 'UTC')}
        and acted_at < {until:DateTime64(3, 'UTC')}
    )
group by issue_id, resolution_id
having countIf(action = 'resolve') > 0 and countIf(action = 'regress') > 0
