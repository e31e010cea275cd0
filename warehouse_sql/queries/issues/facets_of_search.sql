-- purpose: what matching events can be narrowed by further, and how many events each choice has
-- definition: How many of the matching events, among the latest 100,000, have each value. An event counts once for each value.
-- parameters: since, until, value_limit, tag_limit (the conditions put in have parameters of their own)
-- returns: one row per facet: facet, is_tag, event_count (events that have it), top_values (value, count)

with events as (
    -- Among copies of an event, one counts.
    select
        environment,
        release,
        level,
        type,
        browser,
        os,
        server_name,
        service,
        tags
    from errata_raw.error_events
    where
        occurred_at >= {since:DateTime('UTC')}
        and occurred_at < {until:DateTime64(3, 'UTC')}
        and (${event_condition})
    limit 1 by item_id
),

pairs as (
    select arrayJoin(arrayConcat(
        [
            (false, 'environment', environment::String),
            (false, 'release', release::String),
            (false, 'level', level::String),
            (false, 'type', type::String),
            (false, 'browser', browser::String),
            (false, 'os', os::String),
            (false, 'server', server_name::String),
            (false, 'service', service::String)
        ],
        arrayMap(pair -> (true, pair.1::String, pair.2), tags::Array(Tuple(LowCardinality(String), String)))
    )) as pair
    from events
),

counted as (
    select
        pair.1 as is_tag,
        pair.2 as facet,
        pair.3 as value,
        count() as value_count
    from pairs
    where value != ''
    group by is_tag, facet, value
)

select
    facet,
    is_tag,
    sum(value_count) as event_count,
    arraySlice(
        arraySort(entry -> (-toInt64(entry.2), entry.1), groupArray((value, value_count))),
        1,
        {value_limit:UInt16}
    ) as top_values
from counted
group by facet, is_tag
order by is_tag, event_count desc, facet
limit {tag_limit:UInt16} by is_tag
