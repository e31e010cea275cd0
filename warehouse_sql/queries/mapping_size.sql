-- mapping_size
-- purpose: a number that changes with every entry of a project's log of mappings
-- parameters: project_id
-- returns: one row: entry_count
-- inputs:  errata_read.variant_issues

select count() as entry_count
from errata_read.variant_issues(projects = [{project_id:UInt32}])
