-- purpose: actions by their ids, by the request they were made by, or of issues, the latest first
-- returns: one row per action: as in the log, and whether it was taken back (is_undone, undone_by, undone_at)

with undos as (
    select
        about_action_id,
        argMin(actor, acted_at) as undone_by,
        min(issue_actions.acted_at) as undone_at
    from errata_raw.issue_actions as issue_actions
    where action = 'undo'
    group by about_action_id
)

select
    actions.*,
    undos.undone_at > toDateTime64(0, 6, 'UTC') as is_undone,
    undos.undone_by as undone_by,
    undos.undone_at as undone_at
from errata_raw.issue_actions as actions
left join undos on actions.action_id = undos.about_action_id
where
    actions.action_id in {action_ids:Array(UUID)}
    or actions.batch_id in {batch_ids:Array(UUID)}
    or actions.issue_id in {issue_ids:Array(UInt64)}
order by acted_at desc, action_id
limit {limit:UInt32}
