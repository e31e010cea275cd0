-- purpose: how the values of each tag are spread over an issue's latest events
-- definition: How many of the latest events of the issue have each value of a tag.
-- parameters: since (from which on the latest are for sure), event_limit, value_limit
-- returns: one row per tag: tag, event_count (events that have it), top_values (value, count)

select
    tag,
    sum(value_count) as event_count,
    arraySlice(
        arraySort(entry -> (-toInt64(entry.2), entry.1), groupArray((value, value_count))),
        1,
        {value_limit:UInt16}
    ) as top_values
from (
    select
        pair.1 as tag,
        pair.2 as value,
        count() as value_count
    from (
        select arrayJoin(arrayDistinct(arrayConcat(
            [
                ('environment', environment::String),
                ('release', release::String),
                ('server_name', server_name::String),
                ('service', service::String),
                ('transaction', transaction::String),
                ('browser', browser::String),
                ('os', os::String),
                ('device', device::String),
                ('level', level::String),
                ('handled', if(is_handled, 'yes', 'no'))
            ],
            arrayMap(pair -> (pair.1::String, pair.2), tags::Array(Tuple(LowCardinality(String), String)))
        ))) as pair
        from (
            -- Among copies of an event, the one received first counts; all have the same occurred_at.
            select *
            from (
                select *
                from errata_raw.error_events
                where
                    (${is_own})
                    and occurred_at >= {since:DateTime64(3, 'UTC')}
                order by occurred_at desc, item_id desc, received_at
                limit 1 by item_id
            )
            order by occurred_at desc, item_id desc
            limit {event_limit:UInt32}
        )
    )
    where value != ''
    group by tag, value
)
group by tag
order by event_count desc, tag
