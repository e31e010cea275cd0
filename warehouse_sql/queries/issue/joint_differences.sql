-- purpose: how many sources have two of the values found at once: findings that say the same are told once
-- returns: one row per pair of the values given, by their places in the lists (first = second: the value alone), and one of places -1 for all sources

with sources as (
    select
        is_of_issue,
        arrayFilter(
            place -> multiIf(
                {names:Array(String)}[place] = 'environment', environment::String,
                {names:Array(String)}[place] = 'release', release::String,
                {names:Array(String)}[place] = 'server_name', server_name::String,
                {names:Array(String)}[place] = 'service', service::String,
                {names:Array(String)}[place] = 'transaction', transaction::String,
                {names:Array(String)}[place] = 'page', page,
                {names:Array(String)}[place] = 'browser', browser::String,
                {names:Array(String)}[place] = 'os', os::String,
                {names:Array(String)}[place] = 'device', device::String,
                {names:Array(String)}[place] = 'user.domain', user_domain,
                tags[{names:Array(String)}[place]]
            ) = {tag_values:Array(String)}[place],
            arrayEnumerate({names:Array(String)})
        ) as places
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
    where is_known or not {is_of_known:Bool}
)

select
    toInt32(couple.1) - 1 as first,
    toInt32(couple.2) - 1 as second,
    countIf(is_of_issue) as issue_count,
    countIf(not is_of_issue) as rest_count
from sources
array join arrayConcat(
    [(0, 0)],
    arrayFlatten(arrayMap(
        one -> arrayMap(other -> (one, other), arrayFilter(each -> each >= one, places)), places
    ))
) as couple
group by first, second
