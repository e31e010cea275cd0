-- differences_of_issue
-- purpose: how many sources of an issue, and of the rest, have each value of each tag, by environment
-- definition: The share of users of this issue with a value of a tag, beside the share among users of other issues. A user counts once; events
--   without a user count individually.
-- parameters: variants, platforms, since, until, environments, rest_days, issue_step, rest_step, fewest_sources, most_values
-- returns: one row per tag and value: counts (environment, sources of the issue, of the rest); and a row with an empty tag for all sources of each environment: sides (sources, squares of clusters)
-- inputs:  errata_read.compared_sources

with sources as materialized (
    select *
    from errata_read.compared_sources(
        variants = {variants:Array(UInt64)},
        platforms = {platforms:Array(String)},
        since = {since:DateTime64(3, 'UTC')},
        until = {until:DateTime64(3, 'UTC')},
        environments = {environments:Array(String)},
        rest_days = {rest_days:Array(Date)},
        issue_step = {issue_step:UInt32},
        rest_step = {rest_step:UInt32}
    )
),

clusters as (
    select
        environment,
        is_of_issue,
        cluster,
        count() as source_count
    from sources
    group by environment, is_of_issue, cluster
),

by_column as (
    select
        -- The column that a row is about has its bit at 0.
        grouping(release, server_name, service, transaction, page, browser, os, device, user, user_domain)
            as others,
        environment,
        multiIf(
            others = 511, ('release', release::String),
            others = 767, ('server_name', server_name::String),
            others = 895, ('service', service::String),
            others = 959, ('transaction', transaction::String),
            others = 991, ('page', page::String),
            others = 1007, ('browser', browser::String),
            others = 1015, ('os', os::String),
            others = 1019, ('device', device::String),
            others = 1021, ('user', user::String),
            others = 1022, ('user.domain', user_domain::String),
            ('environment', environment::String)
        ) as pair,
        countIf(is_of_issue) as issue_count,
        countIf(not is_of_issue) as rest_count
    from sources
    group by grouping sets (
        (environment),
        (environment, release),
        (environment, server_name),
        (environment, service),
        (environment, transaction),
        (environment, page),
        (environment, browser),
        (environment, os),
        (environment, device),
        (environment, user),
        (environment, user_domain)
    )
),

by_tag as (
    select
        environment,
        tag,
        value,
        countIf(is_of_issue) as issue_count,
        countIf(not is_of_issue) as rest_count
    from sources
    array join
        mapKeys(tags) as tag,
        mapValues(tags) as value
    where tag not in ('environment', 'release', 'server_name', 'service', 'transaction', 'browser', 'os', 'device')
    group by environment, tag, value
),

counted as (
    select
        pair.1 as tag,
        pair.2 as value,
        environment,
        issue_count,
        rest_count
    from by_column
    union all
    select
        tag::String as tag,
        value,
        environment,
        issue_count,
        rest_count
    from by_tag
),

frequent as (
    select
        tag,
        value,
        groupArray((environment::String, issue_count, rest_count)) as counts
    from counted
    where value != ''
    group by tag, value
    -- Chosen by what both sides have together, never by how they differ, so that the tests stay valid.
    having sum(issue_count + rest_count) >= {fewest_sources:UInt32}
    order by sum(issue_count + rest_count) desc, value
    limit {most_values:UInt32} by tag
),

totals as (
    select
        environment::String as value,
        [
            (sumIf(source_count, is_of_issue), sumIf(source_count * source_count, is_of_issue)),
            (sumIf(source_count, not is_of_issue), sumIf(source_count * source_count, not is_of_issue))
        ] as sides
    from clusters
    group by environment
)

select
    tag,
    value,
    counts,
    sides
from (
    select
        tag,
        value,
        counts,
        [] as sides
    from frequent
    union all
    select
        '' as tag,
        value,
        [] as counts,
        sides
    from totals
)
settings enable_materialized_cte = 1
