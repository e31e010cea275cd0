-- built_days
-- purpose: events that a build knows, by variant and step of the period, as days have them; with the parameters of the question
-- parameters: none
-- names: variant_condition, count_condition
select
    variant_hash,
    least(
        intDiv(toInt64(toDateTime(day, 'UTC')) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
        {bucket_count:UInt16} - 1
    ) as step,
    sum(counts.event_count) as event_count,
    uniqMergeState(counts.users_state) as users_state
from errata_read.variant_daily(projects = [{project_id:UInt32}]) as counts
where
    day >= toDate({since:DateTime('UTC')})
    and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
    and (empty({releases:Array(String)}) or release in {releases:Array(String)})
    and (${variant_condition})
    and (${count_condition})
group by variant_hash, step
