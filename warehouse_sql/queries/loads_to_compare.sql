-- loads_to_compare
-- purpose: how many page loads of two releases could be compared, copies included: what their samples are sized by
-- parameters: project_id, environment, after, before (releases), began, since, until, received_from, received_until
-- returns: one row per page: after_count, before_count
-- inputs:  errata_raw.page_views

select
    page::String as page,
    countIf(release = {after:String}) as after_count,
    countIf(release = {before:String}) as before_count
from errata_raw.page_views
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in ({after:String}, {before:String})
    and is_load
    and navigation_type = 'navigate'
    and occurred_at >= if(release = {after:String}, {began:DateTime64(3, 'UTC')}, {since:DateTime64(3, 'UTC')})
    and occurred_at < {until:DateTime64(3, 'UTC')}
    and received_at >= {received_from:DateTime64(3, 'UTC')}
    and received_at < {received_until:DateTime64(3, 'UTC')}
group by page
order by after_count + before_count desc, page
