-- purpose: how many matching events a span of receipt brought: whether there is anything to look at closer
-- parameters: since, until (the condition put in has parameters of its own)
-- returns: one row: event_count (copies included)

select count() as event_count
from errata_raw.error_events
where
    received_at >= {since:DateTime64(3, 'UTC')}
    and received_at < {until:DateTime64(3, 'UTC')}
    and (${event_condition})
