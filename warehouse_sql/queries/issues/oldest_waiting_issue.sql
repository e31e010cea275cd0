-- purpose: since when an ignored issue waits for something that has to be counted
-- returns: one row: waiting_count, acted_at of the oldest

select
    count() as waiting_count,
    min(states.acted_at) as acted_at
from errata_read.issue_states as states
where
    status = 'ignored'
    and condition != ''
