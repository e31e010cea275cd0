-- purpose: events received since a moment, each once: of its copies the one received first counts, unless another one of its hour, or of
--   the two days before it, was received before
-- parameters: arrivals_since, copies_since (as in live_edge) (the condition put in has parameters of its own)
-- names: event_condition
-- returns: one row per event, without those that were deleted with their issue: variant_hash, issue_id, recorded_at (when its variant was; 2299: it was deleted
--   since), occurred_at, received_at, environment, release, user_hash, is_matching

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
        received_at >= {copies_since:DateTime64(3, 'UTC')}
        and item_id in (
            select item_id
            from errata_raw.error_events
            where received_at >= {arrivals_since:DateTime64(3, 'UTC')}
        )
    group by item_id
    having not arrayExists(
        copy -> copy < first
        and (toStartOfHour(copy.2) = toStartOfHour(first.2) or copy.1 >= first.1 - toIntervalDay(2)),
        copies
    )
) as came
inner join errata_raw.variant_assignments as assigned final on came.first.3 = assigned.variant_hash
where
    came.first.1 > assigned.cut_at
    -- By the key of the table.
    and assigned.variant_hash in (
        select variant_hash
        from errata_raw.error_events
        where received_at >= {arrivals_since:DateTime64(3, 'UTC')}
    )
