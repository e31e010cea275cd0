-- dirty_issues_of_variant_totals
-- purpose: whether totals were built, or somebody decided something, since the issues were put together
-- parameters: until
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count
-- inputs:  errata_mart.variant_totals, errata_mart.issues, errata_raw.issue_actions, errata_raw.variant_issues

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    0 as row_count
from (
    select
        (select max(built_through) from errata_mart.variant_totals) as totals_through,
        (select max(built_through) from errata_mart.issues) as taken,
        greatest(
            (select max(acted_at) from errata_raw.issue_actions),
            (select max(recorded_at) from errata_raw.variant_issues)
        ) as decided_at
)
where
    totals_through > toDateTime64(0, 3, 'UTC')
    and (
        totals_through > taken
        or (decided_at > taken and decided_at <= {until:DateTime64(3, 'UTC')})
    )
