-- errata_analysis.budget_windows
-- purpose: whether each performance budget was kept, window by window, by the limit it had then
-- returns: one row per project, budget and window
-- inputs:  errata_mart.budget_status

create or replace view errata_analysis.budget_windows
(
    project_id UInt32 comment 'project id; the view projects has slugs and names',
    budget_id String comment 'budget id, as in the address of the budget''s page',
    name String comment 'name of the budget at that time',
    window_end DateTime('UTC') comment 'end of the window, excluded',
    window_hours UInt16 comment 'length of the window in hours',
    metric String comment 'metric as in page_hours, or server_ or call_ with ms or error_ratio',
    statistic String comment 'p1 to p99, mean or ratio',
    pattern String comment 'pages, or method and route; * matches anything, empty matches all',
    environment String comment 'environment; empty: all',
    device String comment 'device; empty: all',
    threshold Float64 comment 'limit in the unit of the metric; a window above the limit is breached',
    least_samples UInt32 comment 'independent samples below which the outcome is unknown',
    sample_count UInt64 comment 'page loads or calls of the window',
    independent_count UInt64 comment 'independent samples that those of the window are worth, as they come from fewer users',
    value Float64 comment 'measured value; nan: no samples',
    value_at_least Float64 comment 'lower bound of the value, given its independent samples; the window is breached if it is above the limit; nan: no bound',
    outcome String comment 'outcome of this window alone: kept, breached or unknown',
    state String comment 'outcome of three of the latest four windows; without three alike, the previous state',
    built_through DateTime64(3, 'UTC') comment 'rows received before this moment are counted'
)
definer = current_user sql security definer
as
select
    project_id,
    budget_id,
    name,
    window_end,
    window_hours,
    metric,
    statistic,
    pattern,
    environment,
    device,
    threshold,
    least_samples,
    sample_count,
    independent_count,
    value,
    value_at_least,
    outcome,
    state,
    windows.built_through as built_through
from errata_mart.budget_status as windows
-- A window is looked at again while late rows come: the latest look holds.
order by windows.built_through desc
limit 1 by project_id, budget_id, window_end
