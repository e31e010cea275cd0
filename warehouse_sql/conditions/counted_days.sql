-- counted_days
-- purpose: events by variant and hour or day, as counts have them; with the parameters of the question
-- parameters: none
-- names: count_condition
select
    variant_hash,
    bucket_at,
    counts.event_count as event_count,
    users_state
from errata_read.variant_counts(
    since = {since:DateTime('UTC')}, by_hour = {by_hour:Bool}
) as counts
where
    (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    and (empty({releases:Array(String)}) or release in {releases:Array(String)})
    and (${count_condition})
