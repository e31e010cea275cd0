-- purpose: the days in which what was received since a moment had occurred: figures of other days are as they were

select project_id, toDate(occurred_at) as day
from errata_raw.error_events
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
select project_id, toDate(occurred_at) as day
from errata_raw.page_views
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
select project_id, toDate(occurred_at) as day
from errata_raw.page_resources
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
select project_id, toDate(occurred_at) as day
from errata_raw.requests
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
select project_id, toDate(occurred_at) as day
from errata_raw.spans
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
select project_id, toDate(occurred_at) as day
from errata_raw.sessions
where received_at >= {since:DateTime64(3, 'UTC')}
union distinct
-- What was erased counts no more, in a copy until its builds know.
select project_id, occurred_on as day
from errata_raw.erased_items
where recorded_at >= {since:DateTime64(3, 'UTC')}
