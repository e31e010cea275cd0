-- issue_totals_progress
-- purpose: what has come since a build of totals that they do not know
-- parameters: project_id, built_through, counted_through
-- returns: one row, as the view has it
-- inputs:  errata_read.issue_totals_progress

select
    arrived_count,
    earliest,
    arrived_issue_ids,
    unplaced,
    moved_count,
    decided,
    decision_count,
    restored_count
from errata_read.issue_totals_progress(
    projects = [{project_id:UInt32}],
    built_through = {built_through:DateTime64(3, 'UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')}
)
