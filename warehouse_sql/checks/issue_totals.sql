-- issue_totals
-- purpose: whether the totals of all time add up to the issues
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.issue_totals, errata_mart.issues

select
    (
        select sum(event_count)
        from ${table}
        where period = 'all' and is_whole
    ) as built_count,
    (
        select sum(event_count)
        from errata_mart.issues
        where built_through = (select max(built_through) from errata_mart.issues)
    ) as expected_count
