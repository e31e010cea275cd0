-- purpose: which of some regressions had a matching event since the resolution
-- parameters: until, issue_ids, resolved_ms, regressed_ms (three lists of the same length, of one regression an issue;
--   the condition put in has parameters of its own)
-- returns: one row per such issue: value (matching events since the resolution)

with variants as materialized (
    select
        variant_hash,
        issue_id,
        indexOf({issue_ids:Array(UInt64)}, issue_id) as number,
        fromUnixTimestamp64Milli({resolved_ms:Array(Int64)}[number], 'UTC') as resolved_at,
        fromUnixTimestamp64Milli({regressed_ms:Array(Int64)}[number], 'UTC') as regressed_at
    from errata_read.issue_variants
    where issue_id in {issue_ids:Array(UInt64)}
)

select
    variants.issue_id as issue_id,
    count() as value
from errata_raw.error_events as events
inner join variants on events.variant_hash = variants.variant_hash
where
    events.received_at >= fromUnixTimestamp64Milli(arrayMin({resolved_ms:Array(Int64)}), 'UTC')
    and events.received_at < {until:DateTime64(3, 'UTC')}
    and events.variant_hash in (select variant_hash from variants)
    and events.occurred_at > variants.resolved_at
    and events.received_at <= variants.regressed_at
    and (${event_condition})
group by issue_id
settings enable_materialized_cte = 1
