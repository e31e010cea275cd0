-- moved_issues
-- purpose: the issues that got events since a page of the list was asked for, which may have moved above what was shown
-- parameters: project_id, since
-- returns: one row: asked_at (the warehouse's clock), issue_ids
-- inputs:  errata_read.issue_variants, errata_read.error_events

select
    now64(3) as asked_at,
    groupUniqArray(variants.issue_id) as issue_ids
from errata_read.issue_variants(projects = [{project_id:UInt32}]) as variants
inner join (
    select distinct variant_hash
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where received_at >= {since:DateTime64(3, 'UTC')}
) as arrived
    on variants.variant_hash = arrived.variant_hash
