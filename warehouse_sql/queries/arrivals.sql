-- arrivals
-- purpose: events received since marts were built, each once: of its copies the one received first counts, unless another one of its hour, or of
--   the two days before it, was received before
-- parameters: arrivals_since (the condition put in has parameters of its own)
-- names:   own_variants (a condition on variant_hash), event_condition
-- returns: one row per event, without those that were deleted with their issue: variant_hash, issue_id, recorded_at (when its variant was; 2299: it was deleted
--   since), occurred_at, received_at, environment, release, user_hash, is_matching
-- inputs:  errata_raw.error_events, errata_raw.variant_assignments

with (
    select (
        groupUniqArray(item_id),
        -- No event occurs more than an hour after its receipt. Without rows, min() would be 1970, and the whole table would be read.
        if(
            count() = 0,
            toDateTime64('2299-12-31 00:00:00', 3, 'UTC'),
            least(min(received_at) - toIntervalDay(2), min(occurred_at) - toIntervalHour(2))
        )
    )
    from errata_raw.error_events
    where
        received_at >= {arrivals_since:DateTime64(3, 'UTC')}
        and (${own_variants})
) as edge

select
    came.first.3 as variant_hash,
    assigned.issue_id as issue_id,
    if(
        assigned.cut_at = toDateTime64(0, 6, 'UTC'),
        assigned.first_seen_at,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC')
    ) as recorded_at,
    came.first.2 as occurred_at,
    came.first.1 as received_at,
    came.first.4 as environment,
    came.first.5 as release,
    came.first.6 as user_hash,
    came.first.7 as is_matching
from (
    select
        arraySort(groupArray((
            received_at,
            occurred_at,
            variant_hash,
            environment::String,
            release::String,
            user_hash,
            ${event_condition}
        ))) as copies,
        arrayFirst(copy -> copy.1 >= {arrivals_since:DateTime64(3, 'UTC')}, copies) as first
    from errata_raw.error_events
    where
        received_at >= edge.2
        and item_id in (select arrayJoin(edge.1))
    group by item_id
    having not arrayExists(
        copy -> copy < first
        and (toStartOfHour(copy.2) = toStartOfHour(first.2) or copy.1 >= first.1 - toIntervalDay(2)),
        copies
    )
) as came
inner join errata_raw.variant_assignments as assigned final on came.first.3 = assigned.variant_hash
where came.first.1 > assigned.cut_at
-- A fixed order: equal rows are sent as an equal table, which the cache recognizes.
order by received_at, occurred_at, variant_hash, environment, release, user_hash
