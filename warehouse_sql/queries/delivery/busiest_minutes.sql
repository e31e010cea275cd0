-- purpose: what a project's days look like, so that a spike is known as one: the busiest minute of each
-- parameters: since (the start of a day), until
-- returns: one row per project and UTC day with deliveries: project_id, day, line_count (of the busiest minute)

select
    project_id,
    toDate(minute_start) as day,
    max(minutes.line_count) as line_count
from (
    select
        project_id,
        toStartOfMinute(received_at) as minute_start,
        sum(accepted_count + rejected_count) as line_count
    from errata_raw.deliveries
    where
        received_at >= {since:DateTime('UTC')}
        and received_at < {until:DateTime64(3, 'UTC')}
    group by project_id, minute_start
) as minutes
group by project_id, day
order by project_id, day
