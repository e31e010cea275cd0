-- purpose: from when until when issues were ignored: alerts say nothing of them then
-- returns: one row per span: issue_id, muted_at, muted_until (2299: without an end)

with decisions as (
    select
        issue_id,
        action,
        acted_at,
        parseDateTime64BestEffortOrZero(JSONExtractString(detail, 'until'), 3, 'UTC') as until,
        leadInFrame(acted_at, 1, toDateTime64('2299-12-31 00:00:00', 6, 'UTC')) over (
            partition by issue_id
            order by acted_at
            rows between unbounded preceding and unbounded following
        ) as ended_at
    from errata_read.actions_in_force
    where action in ('resolve', 'unresolve', 'ignore', 'regress', 'wake')
)

select
    issue_id,
    toDateTime64(acted_at, 3, 'UTC') as muted_at,
    if(
        until = toDateTime64(0, 3, 'UTC'),
        toDateTime64(ended_at, 3, 'UTC'),
        least(until, toDateTime64(ended_at, 3, 'UTC'))
    ) as muted_until
from decisions
where action = 'ignore'
order by issue_id, muted_at
