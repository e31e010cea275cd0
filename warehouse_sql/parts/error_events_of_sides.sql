-- purpose: error events of some releases in a time, each counted once
select
        item_id,
        -- Of copies of an event the one received first counts.
        argMin(events.release::String, received_at) as release,
        argMin(toUnixTimestamp64Milli(events.occurred_at), received_at) as at,
        argMin(user_hash, received_at) as known,
        argMin(events.browser::String, received_at) as browser,
        argMin(events.os::String, received_at) as os
    from errata_raw.error_events as events
    where
        project_id = {project_id:UInt32}
        and environment = {environment:String}
        and events.release in {releases:Array(String)}
        and events.occurred_at >= fromUnixTimestamp64Milli(arrayMin({sinces_ms:Array(Int64)}), 'UTC')
        and events.occurred_at < fromUnixTimestamp64Milli(arrayMax({untils_ms:Array(Int64)}), 'UTC')
    group by item_id
