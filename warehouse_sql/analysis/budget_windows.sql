-- errata_analysis.budget_windows
-- purpose: whether each performance budget was kept, window by window, by the limit it had then
-- returns: one row per project, budget and window
-- inputs:  errata_mart.budget_status

create or replace view errata_analysis.budget_windows
(
    project_id UInt32 comment 'the project: `errata analyst` lists them',
    budget_id String comment 'as in the address of its page',
    name String comment 'of the budget, as it was called then',
    window_end DateTime('UTC') comment 'the window ends before it',
    window_hours UInt16 comment 'how long the window is',
    metric String comment 'as in page_hours, or server_ and call_ with ms or error_ratio',
    statistic String comment 'p1 to p99, mean or ratio',
    pattern String comment 'of pages, or method and route; * stands for anything, empty: all',
    environment String comment 'empty: all',
    device String comment 'empty: all',
    threshold Float64 comment 'above it the window is a breach; in the unit of the metric',
    least_samples UInt32 comment 'with fewer the outcome is unknown',
    sample_count UInt64 comment 'page loads or calls of the window',
    value Float64 comment 'what was measured; nan: no samples',
    outcome String comment 'of this window alone: kept, breached or unknown',
    state String comment 'what three of the latest four windows agree on, or else what it was before',
    built_through DateTime64(3, 'UTC') comment 'rows received before it are counted here'
)
definer = errata_admin sql security definer
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
    value,
    outcome,
    state,
    windows.built_through as built_through
from errata_mart.budget_status as windows
-- A window is looked at again while late rows come: the latest look holds.
order by windows.built_through desc
limit 1 by project_id, budget_id, window_end
