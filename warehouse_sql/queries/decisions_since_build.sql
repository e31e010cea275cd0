-- decisions_since_build
-- purpose: what was decided since a build of totals that they do not know
-- parameters: built_through
-- returns: one row, as the view has it
-- inputs:  errata_read.decisions_since_build

select
    moved_count,
    decided,
    decision_count,
    restored_count,
    next_end
from errata_read.decisions_since_build(
    built_through = {built_through:DateTime64(3, 'UTC')}
)
