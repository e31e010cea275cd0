-- issues
-- purpose: whether the issues add up to the totals of the variants that are in one
-- returns: one row: built_count, expected_count
-- inputs:  errata_mart.issues, errata_mart.variant_totals, errata_raw.variant_issues

select
    (select sum(event_count) from ${table}) as built_count,
    (
        select sum(event_count)
        from errata_mart.variant_totals
        where
            period = 'all'
            and built_through = (select max(built_through) from errata_mart.variant_totals)
            and (project_id, variant_hash) in (select project_id, variant_hash from errata_raw.variant_issues)
    ) as expected_count
