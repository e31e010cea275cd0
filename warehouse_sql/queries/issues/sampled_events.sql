-- purpose: a sample of events by chance of their ids, each once, by which filters are tried out
-- parameters: since (moment of receipt), sample_size (about so many; all, of fewer than twice as many), limit, longest_bytes (larger
--   events are left out), most_bytes (of all together)
-- returns: one row per event: event_count (all rows since then), issue_id (0: in none yet), payload

with counted as (
    select count() as event_count
    from errata_raw.error_events
    where received_at >= {since:DateTime64(3, 'UTC')}
),

sampled as (
    select *
    from (
        select
            item_id,
            variant_hash,
            payload
        from errata_raw.error_events
        where
            received_at >= {since:DateTime64(3, 'UTC')}
            -- Copies of an event have one id: all of them are in the sample, or none.
            and cityHash64(item_id) % greatest(1, intDiv((select event_count from counted), {sample_size:UInt32})) = 0
            and length(payload) <= {longest_bytes:UInt32}
            and has_payload
            and (${is_kept})
        limit 1 by item_id
    )
    limit {limit:UInt32}
),

measured as (
    select
        item_id,
        variant_hash,
        payload,
        sum(length(payload)) over (order by cityHash64(item_id), item_id) as byte_count
    from sampled
),

assigned as (
    select
        variant_hash,
        issue_id
    from errata_raw.variant_assignments final
    where
        variant_hash in (
            select variant_hash
            from errata_raw.error_events
            where received_at >= {since:DateTime64(3, 'UTC')}
        )
)

select
    (select event_count from counted) as event_count,
    assigned.issue_id as issue_id,
    measured.payload as payload
from measured
left join assigned on measured.variant_hash = assigned.variant_hash
where measured.byte_count <= {most_bytes:UInt64}
