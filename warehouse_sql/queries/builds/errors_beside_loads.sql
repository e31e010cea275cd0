-- purpose: error events and page loads of releases and the ones before them, where no sessions are sent: by their user and their time
-- parameters: project_id, environment, numbers, releases, is_after, sinces_ms, untils_ms (unix ms), shares (a value for each side of a comparison:
--   users whose hash is below its share, in millionths, count)
-- returns: one row per number, is_after, is_known (the user is identified), source (user, else browser) and span (of 6 hours since 1970):
--   exposure_count (page loads), error_count

with errors as (
    ${part:error_events_of_sides}
),

happened as (
    select
        release::String as release,
        toUnixTimestamp64Milli(loads.occurred_at) as at,
        user_hash != 0 as is_known,
        user_hash as known,
        cityHash64(browser::String) as client,
        1 as exposure_count,
        0 as error_count
    from errata_mart.page_loads as loads
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and loads.release in {releases:Array(String)}
        and navigation_type = 'navigate'
        and view_id != 0
        and hour >= toStartOfHour(fromUnixTimestamp64Milli(arrayMin({sinces_ms:Array(Int64)}), 'UTC'))
        and hour < fromUnixTimestamp64Milli(arrayMax({untils_ms:Array(Int64)}), 'UTC')
    union all
    select
        release,
        at,
        known != 0 as is_known,
        known,
        cityHash64(browser) as client,
        0 as exposure_count,
        1 as error_count
    from errors
)

${part:sources_of_sides}
