-- issue_totals_version
-- purpose: which build the totals of a period are of
-- parameters: project_id, period, since
-- returns: one row: built_through (1970: the totals do not hold the period)
-- inputs:  errata_read.issue_totals

select max(built_through) as built_through
from errata_read.issue_totals(projects = [{project_id:UInt32}])
where period = {period:String} and since = {since:DateTime('UTC')} and is_whole
