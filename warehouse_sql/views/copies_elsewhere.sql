-- errata_read.copies_elsewhere
-- purpose: error events whose copies name different hours, and which hour counts. An event is a project's id. In an hour its copy received first stands for it
--   (then: the one that occurred first, and the lesser variant), and counts unless another copy, of another hour, was received in the two days before it
-- parameters: windows, window_start, window_end, received_from, received_to (arrivals of the windows), near_days (days of these arrivals, and two before each)
-- returns: one row per event and hour: project_id, item_id, hour, is_counted. Told rightly of the hours of windows; other hours are named too
-- inputs:  errata_raw.error_events

create or replace view errata_read.copies_elsewhere
-- Of those who build: what their statement may read of raw it may read here.
sql security invoker
as
with near as (
    select *
    from errata_raw.error_events
    where
        toDate(received_at) in {near_days:Array(Date)}
        and received_at >= {received_from:DateTime64(3, 'UTC')} - toIntervalDay(2)
        and received_at < {received_to:DateTime64(3, 'UTC')}
),

several as (
    select
        project_id,
        item_id
    from near
    where (project_id, item_id) in (
        select
            project_id,
            item_id
        from errata_raw.error_events
        where
            toStartOfHour(occurred_at) in {windows:Array(DateTime('UTC'))}
            and occurred_at >= {window_start:DateTime('UTC')}
            and occurred_at < {window_end:DateTime64(3, 'UTC')}
            and received_at >= {received_from:DateTime64(3, 'UTC')}
            and received_at < {received_to:DateTime64(3, 'UTC')}
    )
    group by project_id, item_id
    having min(toStartOfHour(occurred_at)) != max(toStartOfHour(occurred_at))
),

different as (
    -- Of copies that are alike one: two windows would put them in two orders.
    select distinct
        project_id,
        item_id,
        variant_hash,
        occurred_at,
        received_at
    from near
    where (project_id, item_id) in (select project_id, item_id from several)
),

copies as (
    select
        project_id,
        item_id,
        toStartOfHour(occurred_at) as hour,
        received_at,
        lagInFrame(received_at, 1, toDateTime64(0, 3, 'UTC')) over (
            partition by project_id, item_id
            order by received_at, occurred_at, variant_hash
            rows between unbounded preceding and unbounded following
        ) as received_before_at,
        row_number() over (
            partition by project_id, item_id, toStartOfHour(occurred_at)
            order by received_at, occurred_at, variant_hash
        ) as place
    from different
)

select
    project_id,
    item_id,
    hour,
    -- What was received before an hour's first copy is of another hour.
    received_before_at < received_at - toIntervalDay(2) as is_counted
from copies
where place = 1
