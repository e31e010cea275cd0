-- arrivals_matching
-- purpose: which of the events that were received since a moment match a question
-- parameters: since, received_from, environments, releases (what is put in has parameters of its own)
-- names:   event_condition
-- returns: one row per event
-- inputs:  errata_raw.error_events

select distinct item_id
from errata_raw.error_events
where
    received_at >= {received_from:DateTime64(3, 'UTC')}
    and occurred_at >= {since:DateTime('UTC')}
    and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    and (empty({releases:Array(String)}) or release in {releases:Array(String)})
    and (${event_condition})
