-- purpose: how many sources of an issue, and of the rest, have each value of each tag, by stratum: environment, part of the week (a quarter of the day, on workdays or weekends; where most of the issue's sources are of few hours of the day, these from 8 on), whether its user or tenant is known, and which of the largest clients of unknown users it is of (0: another)
-- definition: The share of independent sources of this issue with a value of a tag, beside the share among sources of other issues. A source is a
--   user, or a tenant with all its users; events of unknown users count as one source wherever one client, or one server and job, may have sent them.
-- parameters: variants, platforms, since, until, environments, rest_days, issue_step, rest_step, tenant_tags, fewest_sources, most_values, few_hours (so many hours of the day are few), share_of_few_hours (of the issue's sources in them), largest_clients (so many of either side)
-- returns: one row per tag and value: counts (stratum, sources of the issue, of the rest); and a row with an empty tag for all sources: counts, and products (two strata; of the issue, of the rest): sources of a cluster in one stratum times those in the other, added up

with compared as materialized (
    select *
    from errata_read.compared_sources(
        variants = {variants:Array(UInt64)},
        platforms = {platforms:Array(String)},
        since = {since:DateTime64(3, 'UTC')},
        until = {until:DateTime64(3, 'UTC')},
        environments = {environments:Array(String)},
        rest_days = {rest_days:Array(Date)},
        issue_step = {issue_step:UInt32},
        rest_step = {rest_step:UInt32},
        tenant_tags = {tenant_tags:Array(String)}
    )
),

-- What swings within a quarter of the day would differ in an issue of one hour.
few_hours as materialized (
    select
        arraySlice(arrayReverseSort(groupArray((source_count, hour))), 1, {few_hours:UInt8}) as most,
        if(sum(source_count) * {share_of_few_hours:Float32} <= arraySum(most.1), most.2, []) as hours
    from (
        select
            hour_of_week % 24 as hour,
            count() as source_count
        from compared
        where is_of_issue
        group by hour
    )
),

-- The issue's before those of the rest.
largest_clients as materialized (
    select
        arraySlice(arrayReverseSort(groupArray((issue_count, client))), 1, {largest_clients:UInt8}).2 as of_issue,
        arraySlice(arrayReverseSort(groupArray((rest_count, client))), 1, {largest_clients:UInt8}).2 as of_rest,
        arrayDistinct(arrayConcat(of_issue, of_rest)) as clients
    from (
        select
            client,
            countIf(is_of_issue) as issue_count,
            countIf(not is_of_issue) as rest_count
        from compared
        where client != 0
        group by client
    )
),

sources as materialized (
    select
        *,
        if(has((select hours from few_hours), hour_of_week % 24), 8 + hour_of_week, hour_of_week div 6) as week_part,
        (environment::String, week_part, is_known, indexOf((select clients from largest_clients), client)) as stratum
    from compared
),

clusters as (
    select
        is_of_issue,
        groupArray((stratum, source_count)) as strata
    from (
        select
            is_of_issue,
            cluster,
            stratum,
            count() as source_count
        from sources
        group by is_of_issue, cluster, stratum
    )
    group by is_of_issue, cluster
),

by_column as (
    select
        -- The column that a row is about has its bit at 0.
        grouping(release, server_name, service, transaction, page, browser, os, device, user_domain) as others,
        stratum,
        multiIf(
            others = 255, ('release', release::String),
            others = 383, ('server_name', server_name::String),
            others = 447, ('service', service::String),
            others = 479, ('transaction', transaction::String),
            others = 495, ('page', page::String),
            others = 503, ('browser', browser::String),
            others = 507, ('os', os::String),
            others = 509, ('device', device::String),
            others = 510, ('user.domain', user_domain::String),
            ('environment', stratum.1)
        ) as pair,
        countIf(is_of_issue) as issue_count,
        countIf(not is_of_issue) as rest_count
    from sources
    group by grouping sets (
        (stratum),
        (stratum, release),
        (stratum, server_name),
        (stratum, service),
        (stratum, transaction),
        (stratum, page),
        (stratum, browser),
        (stratum, os),
        (stratum, device),
        (stratum, user_domain)
    )
),

by_tag as (
    select
        stratum,
        tag,
        value,
        countIf(is_of_issue) as issue_count,
        countIf(not is_of_issue) as rest_count
    from sources
    array join
        mapKeys(tags) as tag,
        mapValues(tags) as value
    where tag not in ('environment', 'release', 'server_name', 'service', 'transaction', 'browser', 'os', 'device')
    group by stratum, tag, value
),

counted as (
    select
        pair.1 as tag,
        pair.2 as value,
        stratum,
        issue_count,
        rest_count
    from by_column
    union all
    select
        tag::String as tag,
        value,
        stratum,
        issue_count,
        rest_count
    from by_tag
),

frequent as (
    select
        tag,
        value,
        groupArray((stratum, issue_count, rest_count)) as counts
    from counted
    where value != ''
    group by tag, value
    -- Chosen by what both sides have together, never by how they differ, so that the tests stay valid.
    having sum(issue_count + rest_count) >= {fewest_sources:UInt32}
    order by sum(issue_count + rest_count) desc, value
    limit {most_values:UInt32} by tag
),

products as (
    select
        place.1 as one,
        place.2 as other,
        sumIf(place.3, is_of_issue) as issue_product,
        sumIf(place.3, not is_of_issue) as rest_product
    from clusters
    array join arrayFlatten(arrayMap(
        first -> arrayMap(second -> (first.1, second.1, first.2 * second.2), strata), strata
    )) as place
    group by one, other
)

select
    tag,
    value,
    counts,
    products
from (
    select
        tag,
        value,
        counts,
        [] as products
    from frequent
    union all
    select
        '' as tag,
        '' as value,
        (
            select groupArray((stratum, issue_count, rest_count))
            from by_column
            where pair.1 = 'environment'
        ) as counts,
        groupArray((one, other, issue_product, rest_product)) as products
    from products
)
settings enable_materialized_cte = 1
