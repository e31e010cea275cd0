-- most_telling_event
-- purpose: of an issue's latest events the one that tells most about it
-- parameters: project_id, since (from which on the latest are for sure), event_limit
-- names:   is_own
-- returns: no row for an issue without events, else one: item_id, score (0 to 10)
-- inputs:  errata_read.error_events

with found as (
    select
        item_id,
        occurred_at
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        (${is_own})
        and occurred_at >= {since:DateTime64(3, 'UTC')}
    order by occurred_at desc, item_id desc
    limit 1 by item_id
),

latest as (
    select * from found
    order by occurred_at desc, item_id desc
    limit {event_limit:UInt16}
)

select
    item_id,
    -- A key stands in JSON with its quotes bare: within a text they would be marked.
    2 * (position(payload, '"vars"') > 0)
    + 2 * (position(payload, '"context_line"') > 0)
    + 2 * (request_url != '')
    + (position(payload, '"breadcrumbs"') > 0)
    + (user_hash != 0)
    + (replay_id != toUUID('00000000-0000-0000-0000-000000000000'))
    + (not is_clock_corrected) as score
from errata_read.error_events(projects = [{project_id:UInt32}])
where
    (${is_own})
    and occurred_at in (select occurred_at from latest)
    and item_id in (select item_id from latest)
order by score desc, occurred_at desc, item_id desc
limit 1
