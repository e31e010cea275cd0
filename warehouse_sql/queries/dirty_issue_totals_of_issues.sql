-- dirty_issue_totals_of_issues
-- purpose: whether issues were put together since their totals took them
-- parameters: until
-- returns: at most one row: window_start (1970), first_received_at, last_received_at, row_count (totals of variants to read)
-- inputs:  errata_mart.issues, errata_mart.issue_totals, errata_mart.variant_totals

select
    toDateTime(0, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    totals_count as row_count
from (
    select
        (select max(built_through) from errata_mart.issues) as newest,
        (select max(built_through) from errata_mart.issue_totals) as taken,
        (select count() from errata_mart.variant_totals) as totals_count
)
where newest > taken
