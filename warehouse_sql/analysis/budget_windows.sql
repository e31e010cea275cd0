-- errata_analysis.budget_windows
-- purpose: whether each performance budget was kept, window by window, by the limit it had then
-- returns: one row per project, budget and window
-- mart:    errata_mart.budget_status
-- columns: project_id, budget_id, name, window_end, window_hours, metric, statistic, pattern, environment, device, threshold, least_samples,
--   sample_count, independent_count, value, value_at_least, outcome, state, built_through
-- inputs:  errata_mart.budget_status

create or replace view errata_analysis.budget_windows
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    metric String comment 'metric as in page_hours, or server_ or call_ with ms or error_ratio',
    least_samples UInt32 comment 'independent samples below which the outcome is unknown',
    value_at_least Float64 comment 'lower bound of the value, given its independent samples; the window is breached if it is above the limit; nan: no bound'
)
definer = current_user sql security definer
as
select *
from errata_mart.budget_status as windows
-- A window is looked at again while late rows come: the latest look holds.
order by windows.built_through desc
limit 1 by project_id, budget_id, window_end
