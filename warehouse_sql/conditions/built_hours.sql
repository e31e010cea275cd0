-- built_hours
-- purpose: events that a build knows, by the issue that the statement places them in, as hours have them; with the parameters of the question
-- parameters: none
-- names: variant_condition, count_condition, kept
select
    placed.issue_id as issue_id,
    sumResample(0, 31, 1)(
        counts.event_count,
        least(
            intDiv(toInt64(hour) - toInt64({since:DateTime('UTC')}), {bucket_seconds:UInt32}),
            {bucket_count:UInt16} - 1
        )
    ) as steps,
    uniqMergeStateIf(counts.users_state, {counts_users:Bool}) as users_state
from (
    select
        variant_hash,
        hour,
        event_count,
        users_state
    from errata_mart.variant_hourly
    where
        hour >= {since:DateTime('UTC')}
        and (empty({environments:Array(String)}) or environment in {environments:Array(String)})
        and (empty({releases:Array(String)}) or release in {releases:Array(String)})
        and (${variant_condition})
        and (${count_condition})
        and (${kept})
) as counts
inner join placed on counts.variant_hash = placed.variant_hash
group by issue_id
