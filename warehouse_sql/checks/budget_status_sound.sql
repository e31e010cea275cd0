-- purpose: how many windows of budgets contradict themselves: an outcome that value, threshold and samples do not give, or a window that ends after what is counted
-- returns: one row: wrong_count

select countIf(
    outcome != multiIf(
        isNaN(value) or independent_count < least_samples, 'unknown',
        value_at_least > threshold, 'breached',
        -- Within the threshold, loads that had not ended could exceed it.
        value <= threshold and not (metric = 'load_ms' and outcome = 'unknown'), 'kept',
        'unknown'
    )
    or independent_count > sample_count
    or state not in ('kept', 'breached', 'unknown')
    or window_end > toDateTime(built_through)
) as wrong_count
from errata_mart.budget_status
