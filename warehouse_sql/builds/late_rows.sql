-- purpose: whose rows of waiting days a mart lacks: what views or calls of these days sent since the days began to wait. A view's parts and resources may be of the day after
-- parameters: raw, days, sinces (when each day began to wait), until

with received as (
    select
        project_id,
        occurred_at,
        received_at
    from errata_raw.page_views
    where {raw:String} != 'errata_raw.requests' and received_at >= arrayMin({sinces:Array(DateTime64(3, 'UTC'))})
    union all
    select
        project_id,
        occurred_at,
        received_at
    from errata_raw.page_resources
    where {raw:String} != 'errata_raw.requests' and received_at >= arrayMin({sinces:Array(DateTime64(3, 'UTC'))})
    union all
    select
        project_id,
        occurred_at,
        received_at
    from errata_raw.requests
    where {raw:String} = 'errata_raw.requests' and received_at >= arrayMin({sinces:Array(DateTime64(3, 'UTC'))})
)

select
    project_id,
    max(toDate(occurred_at)) as last_day,
    min(received_at) as since
from received
where
    received_at < {until:DateTime64(3, 'UTC')}
    and arrayExists(
        (day, waits_since) -> toDate(occurred_at) between day and day + 1 and received_at >= waits_since,
        {days:Array(Date)},
        {sinces:Array(DateTime64(3, 'UTC'))}
    )
group by project_id
