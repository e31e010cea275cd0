-- cuts_of_issue
-- purpose: what is gone of an issue: its variants that were deleted with an issue, and when the last deletion or undo of one was
-- names:   is_own
-- returns: one row: cuts (variant, moment: what came in before it is gone), changed_at
-- inputs:  errata_read.deleted_parts, errata_raw.issue_actions

select
    arraySort(groupArray((variant_hash, cut_at))) as cuts,
    (
        select max(acted_at)
        from errata_raw.issue_actions
        where
            action = 'delete'
            or action = 'undo'
            and about_action_id in (
                select action_id
                from errata_raw.issue_actions
                where action = 'delete'
            )
    ) as changed_at
from errata_read.deleted_parts(
    decided_before = toDateTime64('2299-12-31 00:00:00', 6, 'UTC')
)
where
    (${is_own})
    and after_deletion_at = toDateTime64(0, 6, 'UTC')
