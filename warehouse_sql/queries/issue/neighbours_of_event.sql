-- purpose: the events of an issue before and after one of them, between two moments, and the first and last
-- parameters: occurred_at, item_id, since, until, outermost (moments of the first and the last)
-- returns: one row: older, newer, oldest, newest (event ids, nil where there is none between the moments)

select
    argMaxIf(
        item_id,
        (occurred_at, item_id),
        occurred_at >= {since:DateTime64(3, 'UTC')}
        and (occurred_at, item_id) < ({occurred_at:DateTime64(3, 'UTC')}, {item_id:UUID})
    ) as older,
    argMinIf(
        item_id,
        (occurred_at, item_id),
        occurred_at <= {until:DateTime64(3, 'UTC')}
        and (occurred_at, item_id) > ({occurred_at:DateTime64(3, 'UTC')}, {item_id:UUID})
    ) as newer,
    argMin(item_id, (occurred_at, item_id)) as oldest,
    argMax(item_id, (occurred_at, item_id)) as newest
from (
    select
        occurred_at,
        item_id
    from errata_raw.error_events
    where
        (${is_own})
        and (
            occurred_at in {outermost:Array(DateTime64(3, 'UTC'))}
            or occurred_at between {since:DateTime64(3, 'UTC')} and {until:DateTime64(3, 'UTC')}
        )
)
