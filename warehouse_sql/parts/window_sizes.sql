-- window_sizes
-- purpose: windows that slide over steps: how many samples each has, and what the windows that a step is part of need of it
-- parameters: reach_seconds
-- inputs:  none
totals as (
    select
        *,
        sum(step_count) over sliding as window_count,
        max(is_digested) over sliding as is_window_digested
    from steps
    window sliding as (
        order by step_start range between {reach_seconds:UInt32} preceding and current row
    )
),

needed as (
    -- Values of large windows aren't sorted again for each step, nor digests of small ones merged.
    select
        *,
        min(window_count) over following as smallest_window,
        max(window_count) over following as largest_window,
        max(is_window_digested) over following as is_digest_needed
    from totals
    window following as (
        order by step_start range between current row and {reach_seconds:UInt32} following
    )
)
