-- purpose: how often each variant of issues occurred, and when last, as of the last build, with events received since
-- definition: The number of error events of each variant, a group of events with the same fingerprint, each event once.
-- parameters: issue_ids, variants_through (what the totals of variants count)
-- returns: one row per variant that occurred: event_count, last_seen

select
    variant_hash,
    sum(counts.event_count) as event_count,
    max(counts.last_occurred_at) as last_seen
from (
    select
        totals.variant_hash as variant_hash,
        totals.event_count as event_count,
        totals.last_occurred_at as last_occurred_at
    from errata_mart.variant_totals as totals
    inner join errata_raw.variant_assignments as assigned final on totals.variant_hash = assigned.variant_hash
    where
        totals.period = 'all'
        and assigned.issue_id in {issue_ids:Array(UInt64)}
        -- By the key of the table.
        and totals.variant_hash in (
            select variant_hash
            from errata_raw.variant_assignments final
            where issue_id in {issue_ids:Array(UInt64)}
        )
        and totals.after_deletion_at >= assigned.cut_at
    union all
    select
        variant_hash,
        toUInt64(1) as event_count,
        occurred_at as last_occurred_at
    from fresh
    where
        issue_id in {issue_ids:Array(UInt64)}
        and received_at >= {variants_through:DateTime64(3, 'UTC')}
) as counts
group by variant_hash
