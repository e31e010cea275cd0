-- purpose: the ISO weeks of which a day, or a day of the week before, was built again since weekly_trends took them
-- returns: one row per week: window_start, first_received_at, last_received_at, row_count

with days as (
    select
        day,
        max(built_through) as built_through,
        count() as day_row_count
    from errata_mart.page_metrics_daily
    group by day
),

own_weeks as (
    select distinct toStartOfWeek(day, 1) as week from days
),

due as (
    select
        own_weeks.week as week,
        max(days.built_through) as built_through,
        sum(days.day_row_count) as week_row_count
    from days
    inner join own_weeks on toStartOfWeek(days.day, 1) = own_weeks.week
    group by week
    union all
    select
        own_weeks.week as week,
        max(days.built_through) as built_through,
        sum(days.day_row_count) as week_row_count
    from days
    inner join own_weeks on toStartOfWeek(days.day, 1) + 7 = own_weeks.week
    group by week
),

weeks as (
    select
        week,
        max(built_through) as built_through
    from errata_mart.weekly_trends
    group by week
)

select
    toDateTime(due.week, 'UTC') as window_start,
    toDateTime64(0, 3, 'UTC') as first_received_at,
    {until:DateTime64(3, 'UTC')} as last_received_at,
    -- Of the week and the one before, which it is compared with.
    due.read_row_count as row_count
from (
    select
        week,
        max(built_through) as built_through,
        sum(week_row_count) as read_row_count
    from due
    group by week
) as due
left join weeks on due.week = weeks.week
where due.built_through > weeks.built_through
order by window_start
