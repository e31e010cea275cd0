-- events_of_period
-- purpose: how many events a search reads one by one
-- parameters: since
-- returns: one row: event_count (copies included)
-- inputs:  errata_raw.error_events

select count() as event_count
from errata_raw.error_events
where
    occurred_at >= {since:DateTime('UTC')}
    -- Skips partitions: nothing occurs more than an hour after it was received.
    and received_at >= {since:DateTime('UTC')} - interval 2 hour
