-- purpose: whether totals of variants were built, or variants assigned, since the totals of issues took them
-- parameters: until, is_patient (large totals wait for more to come in)
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count (totals of variants to read)

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    totals_count as row_count
from (
    select
        (select max(built_through) from errata_mart.variant_totals) as newest,
        (select max(counted_through) from errata_mart.issue_totals) as taken,
        (select max(built_through) from errata_mart.issue_totals) as assigned_through,
        (select count() from errata_mart.variant_totals) as totals_count,
        (
            select count()
            from errata_raw.variant_assignments final
            where
                assigned_at >= (select max(built_through) from errata_mart.issue_totals)
                and assigned_at < {until:DateTime64(3, 'UTC')}
        ) as assigned_count
)
where
    newest > toDateTime64(0, 3, 'UTC')
    and (
        newest > taken
        -- As the totals of variants wait; but of issues that moved every list reads the variants.
        or assigned_count > 1000
        or (assigned_count > 0 and not {is_patient:Bool})
        or (assigned_count > 0 and {until:DateTime64(3, 'UTC')} >= assigned_through + toIntervalSecond(intDiv(totals_count, 2000)))
    )
