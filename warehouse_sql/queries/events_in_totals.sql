-- events_in_totals
-- purpose: how many events a project has in a standard period as of a build
-- parameters: period, since, built_through
-- returns: one row: event_count
-- inputs:  errata_read.listed_totals

select sum(event_count) as event_count
from errata_read.listed_totals(
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = []::Array(String)
)
