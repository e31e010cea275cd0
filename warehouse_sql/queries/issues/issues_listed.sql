-- purpose: one page of the issue list: events of the period as of the last build and those received since, by the issues that variants belong to now
-- definition: Events counts the error events of each issue in the period, each once. Where the list is sorted by users, or searched
--   for them, users counts the distinct users of these events, told apart by the first of ID, email address, name and IP address that the SDK sent;
--   events without any of them have no user. Each user counts once, exactly up to about 65,000 users, within 1% beyond. Else the users of the issues
--   shown are counted afterwards.
-- parameters: limit (what is put in has parameters of its own)
-- names: counts, is_asked (a condition on rows of counts), user_count, steps, sort_value, texts, issue_condition, is_below (a condition for pages but the first)
-- returns: one row per issue with a matching event in the period, the greatest first: issue_id, event_count, counted_users (0: left out), sparkline
--   (empty: left out), status, assignee, chosen_priority, sort_value

with found as (
    select
        issue_id,
        sumIf(counts.event_count, ${is_asked}) as event_count,
        ${user_count} as user_count,
        ${steps} as sparkline,
        min(least(counts.recorded_at, counts.first_occurred_at)) as first_seen,
        max(counts.last_occurred_at) as last_seen,
        argMinIf(counts.first_release, counts.first_occurred_at, counts.first_release != '') as first_release
    from (
        ${counts}
    ) as counts
    group by issue_id
    having event_count > 0
)

select
    found.issue_id as issue_id,
    event_count,
    user_count as counted_users,
    sparkline,
    if(states.status = '', 'unresolved', states.status) as status,
    states.assignee::String as assignee,
    states.chosen_priority::String as chosen_priority,
    ${sort_value} as sort_value
from found
left join errata_read.issue_states as states on found.issue_id = states.issue_id
left join (
    ${texts}
) as names on found.issue_id = names.issue_id
where
    (${issue_condition})
    and (${is_below})
order by sort_value desc, issue_id desc
limit {limit:UInt16}
