-- totals_in_order
-- purpose: all issues that a build counts something of, as a list sorts them
-- parameters: period, since, built_through, environments (one, or none: all), sort (what is put in has parameters of its own)
-- names:   issue_condition
-- returns: one row per issue, the greatest first
-- inputs:  errata_read.listed_totals

with
    arrayMap(look -> look.1, issues.looks) as titles,
    arrayMap(look -> look.2, issues.looks) as culprits,
    arrayMap(look -> concat(look.1, ' ', look.2, ' ', look.3), issues.looks) as texts

select
    issue_id,
    multiIf(
        {sort:String} = 'events', toInt64(event_count),
        {sort:String} = 'users', toInt64(user_count),
        {sort:String} = 'first_seen', toUnixTimestamp64Milli(first_seen),
        toUnixTimestamp64Milli(last_seen)
    ) as sort_value
from errata_read.listed_totals(
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)}
) as issues
where ${issue_condition}
order by sort_value desc, issue_id desc
