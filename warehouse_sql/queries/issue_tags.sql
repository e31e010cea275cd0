-- issue_tags
-- purpose: how the values of each tag are spread over an issue's latest events
-- parameters: project_id, issue_id, event_limit, value_limit
-- returns: one row per tag: tag, event_count (events that have it), top_values (value, count)
-- inputs:  errata_read.error_events, errata_read.issue_variants

with events as (
    -- Of copies of an event the one received first counts; all have the same occurred_at.
    select
        item_id,
        occurred_at,
        tags,
        environment,
        release,
        server_name,
        browser,
        os,
        level
    from errata_read.error_events(projects = [{project_id:UInt32}])
    where
        variant_hash in (
            select variant_hash
            from errata_read.issue_variants(projects = [{project_id:UInt32}])
            where issue_id = {issue_id:UInt64}
        )
    order by occurred_at desc, item_id desc, received_at
    limit 1 by item_id
),

latest as (
    select * from events
    order by occurred_at desc, item_id desc
    limit {event_limit:UInt32}
),

pairs as (
    select arrayJoin(arrayDistinct(arrayConcat(
        [
            ('environment', environment::String),
            ('release', release::String),
            ('server_name', server_name::String),
            ('browser', browser::String),
            ('os', os::String),
            ('level', level::String)
        ],
        arrayMap(pair -> (pair.1::String, pair.2), tags::Array(Tuple(LowCardinality(String), String)))
    ))) as pair
    from latest
),

counted as (
    select
        pair.1 as tag,
        pair.2 as value,
        count() as value_count
    from pairs
    where value != ''
    group by tag, value
)

select
    tag,
    sum(value_count) as event_count,
    arraySlice(
        arraySort(entry -> (-toInt64(entry.2), entry.1), groupArray((value, value_count))),
        1,
        {value_limit:UInt16}
    ) as top_values
from counted
group by tag
order by event_count desc, tag
