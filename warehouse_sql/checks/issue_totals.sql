-- purpose: whether the totals of issues add up to those of the variants that are in one, without what was deleted
-- returns: one row per project: project_id, built_count, expected_count; none of one in which something was deleted, or taken back, since
--   events were counted

select
    project_id,
    sum(built) as built_count,
    sum(expected) as expected_count
from (
    select
        project_id,
        sum(event_count) as built,
        0 as expected
    from errata_mart.issue_totals
    where period = 'all' and is_whole
    group by project_id
    union all
    select
        totals.project_id as project_id,
        0 as built,
        sum(totals.event_count) as expected
    from errata_mart.variant_totals as totals
    inner join errata_raw.variant_assignments as assigned final
        on totals.project_id = assigned.project_id and totals.variant_hash = assigned.variant_hash
    where
        totals.period = 'all'
        and totals.after_deletion_at >= assigned.cut_at
    group by project_id
)
where project_id not in (
        select project_id
        from errata_raw.issue_actions
        where
            action in ('delete', 'undo')
            and acted_at >= (select max(built_through) from errata_mart.issue_totals)
    )
group by project_id
