-- purpose: the steps from loads of the last two days and since (`loads`) to those that came since, and the resources of as long
-- parameters: since, until (moments of receipt, half-open)
-- returns: the steps new_loads, first_loads and all_resources of a statement

new_loads as (
    select *
    from loads
    where received_at >= {since:DateTime64(3, 'UTC')}
),

first_loads as (
    -- A load that is repeated in its window needs no search: its earlier parts were recorded with its first copy.
    select *
    from new_loads
    where (view, window_start) not in (
        select
            view,
            window_start
        from loads
        where received_at < {since:DateTime64(3, 'UTC')} and view in (select view from new_loads)
    )
),

all_resources as (
    select
        cityHash64(project_id, view_id) as view,
        received_at
    from errata_raw.page_resources
    where
        received_at >= {since:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {until:DateTime64(3, 'UTC')}
)
