-- purpose: how many page loads of two releases could be compared: what their samples are sized by
-- parameters: project_id, environment, after, before (releases), began, since, until
-- returns: one row per page: after_count, before_count

select
    page::String as page,
    countIf(release = {after:String}) as after_count,
    countIf(release = {before:String}) as before_count
from errata_mart.page_loads
where
    project_id = {project_id:UInt32}
    and environment = {environment:String}
    and release in ({after:String}, {before:String})
    and navigation_type = 'navigate'
    and view_id != 0
    and hour >= toStartOfHour({since:DateTime64(3, 'UTC')})
    and occurred_at >= if(release = {after:String}, {began:DateTime64(3, 'UTC')}, {since:DateTime64(3, 'UTC')})
    and occurred_at < {until:DateTime64(3, 'UTC')}
group by page
order by after_count + before_count desc, page
