-- errata_read.issue_states
-- purpose: the state of each issue at this moment: what people decided and nobody took back, what came back, and the clock
-- returns: one row per issue somebody decided about: as in errata_raw.issue_states, with status (unresolved, resolved, regressed, ignored)
-- inputs:  errata_raw.issue_states

create or replace view errata_read.issue_states
sql security invoker
as
select
    * except (version),
    multiIf(
        state = 'resolve' and returned_at > toDateTime64(0, 6, 'UTC'), 'regressed',
        state = 'resolve', 'resolved',
        state = 'ignore'
        and returned_at = toDateTime64(0, 6, 'UTC')
        and (until = toDateTime64(0, 3, 'UTC') or until > now64(3)), 'ignored',
        'unresolved'
    ) as status
from errata_raw.issue_states final
