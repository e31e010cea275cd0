-- issue_totals_version
-- purpose: which build the totals of a period are of
-- parameters: period, since
-- returns: one row: built_through (1970: the totals do not hold the period), counted_through
-- inputs:  errata_mart.issue_totals

select
    max(totals.built_through) as built_through,
    argMax(totals.counted_through, totals.built_through) as counted_through
from errata_mart.issue_totals as totals
where period = {period:String} and since = {since:DateTime('UTC')} and is_whole
