-- errata_read.decisions_since_build
-- purpose: what was decided since a build of issues' totals that they do not know. Tables are read here, not views of them:
--   an engine takes longer to understand those than to answer
-- parameters: built_through
-- returns: one row: moved_count (merges, splits, joins, switches since), decided (issues decided about since, or that the clock woke),
--   decision_count (grows with every decision since, and as the clock wakes), restored_count (deletions of before that were taken
--   back since), next_end (moment at which the clock wakes an issue next; 1970: none)
-- inputs:  errata_raw.issue_actions, errata_raw.variant_issues, errata_raw.grouping_switches

create or replace view errata_read.decisions_since_build
sql security invoker
as
select
    sum(parts.moved_count) as moved_count,
    groupArrayArray(parts.decided) as decided,
    sum(parts.decision_count) as decision_count,
    sum(parts.restored_count) as restored_count,
    min(parts.next_end) as next_end
from (
    select
        countIf(is_since and action in ('merge', 'unmerge', 'join', 'follow')) as moved_count,
        groupUniqArrayIf(issue_id, is_since or has_ended) as decided,
        countIf(is_since) + countIf(has_ended) as decision_count,
        countIf(
            is_since
            and action = 'undo'
            and about_action_id in (
                select action_id
                from errata_raw.issue_actions
                where
                    action = 'delete'
                    and acted_at < {built_through:DateTime64(3, 'UTC')}
            )
        ) as restored_count,
        minIf(ends, ends > now64(3)) as next_end
    from (
        select
            issue_id,
            action,
            about_action_id,
            acted_at >= {built_through:DateTime64(3, 'UTC')} as is_since,
            -- Ignored until a moment that has come since.
            if(
                action = 'ignore',
                parseDateTime64BestEffortOrZero(JSONExtractString(detail, 'until'), 3, 'UTC'),
                toDateTime64(0, 3, 'UTC')
            ) as ends,
            ends between {built_through:DateTime64(3, 'UTC')} - interval 10 minute and now64(3) as has_ended
        from errata_raw.issue_actions
    )
    where is_since or has_ended or ends > now64(3)
    union all
    select
        count() as moved_count,
        [] as decided,
        0 as decision_count,
        0 as restored_count,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC') as next_end
    from errata_raw.variant_issues
    where
        recorded_at >= {built_through:DateTime64(3, 'UTC')}
        and authority > 0
    union all
    select
        count() as moved_count,
        [] as decided,
        0 as decision_count,
        0 as restored_count,
        toDateTime64('2299-12-31 00:00:00', 3, 'UTC') as next_end
    from errata_raw.grouping_switches
    where switched_at >= {built_through:DateTime64(3, 'UTC')}
) as parts
