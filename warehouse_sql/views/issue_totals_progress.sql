-- errata_read.issue_totals_progress
-- purpose: what has come since a build of issues' totals that they do not know. Tables are read here, not views of them:
--   an engine takes longer to understand those than to answer
-- parameters: projects, built_through, counted_through
-- returns: one row: arrived_count (events received since, copies included), earliest (moment one of them occurred), arrived_issue_ids (the issues of them), unplaced (variants of
--   them that the totals place in no issue), moved_count (merges, splits, joins, switches since), decided (issues decided
--   about since, or that the clock woke), decision_count (grows with every decision since, and as the clock wakes),
--   restored_count (deletions of before that were taken back since)
-- inputs:  errata_mart.issue_totals, errata_raw.issue_actions, errata_raw.variant_issues, errata_raw.grouping_switches,
--   errata_raw.error_events

create or replace view errata_read.issue_totals_progress
definer = errata_admin sql security definer
as
with arrived as (
    select
        variant_hash,
        count() as row_count,
        min(occurred_at) as earliest
    from errata_raw.error_events
    where
        project_id in {projects:Array(UInt32)}
        and received_at >= {counted_through:DateTime64(3, 'UTC')}
    group by variant_hash
),

known as (
    select
        issue_id,
        arrayJoin(variant_hashes) as variant_hash
    from errata_mart.issue_totals
    where
        project_id in {projects:Array(UInt32)}
        and period = 'all'
        and is_whole
        and built_through = {built_through:DateTime64(3, 'UTC')}
)

select
    sum(parts.arrived_count) as arrived_count,
    max(parts.earliest) as earliest,
    groupArrayArray(arrived_issue_ids) as arrived_issue_ids,
    groupArrayArray(unplaced) as unplaced,
    sum(moved_count) as moved_count,
    groupArrayArray(decided) as decided,
    sum(decision_count) as decision_count,
    sum(restored_count) as restored_count
from (
    select
        sum(arrived.row_count) as arrived_count,
        min(arrived.earliest) as earliest,
        groupUniqArrayIf(known.issue_id, known.issue_id != 0) as arrived_issue_ids,
        groupArrayIf(arrived.variant_hash, known.issue_id = 0) as unplaced,
        0 as moved_count,
        [] as decided,
        0 as decision_count,
        0 as restored_count
    from arrived
    left join known on arrived.variant_hash = known.variant_hash
    union all
    select
        0 as arrived_count,
        toDateTime64(0, 3, 'UTC') as earliest,
        [] as arrived_issue_ids,
        [] as unplaced,
        countIf(is_since and action in ('merge', 'unmerge', 'join', 'follow')) as moved_count,
        groupUniqArray(issue_id) as decided,
        countIf(is_since) + countIf(has_ended) as decision_count,
        countIf(
            is_since
            and action = 'undo'
            and about_action_id in (
                select action_id
                from errata_raw.issue_actions
                where
                    project_id in {projects:Array(UInt32)}
                    and action = 'delete'
                    and acted_at < {built_through:DateTime64(3, 'UTC')}
            )
        ) as restored_count
    from (
        select
            issue_id,
            action,
            about_action_id,
            acted_at >= {built_through:DateTime64(3, 'UTC')} as is_since,
            -- Ignored until a moment that has come since.
            action = 'ignore'
            and parseDateTime64BestEffortOrZero(JSONExtractString(detail, 'until'), 3, 'UTC')
            between {built_through:DateTime64(3, 'UTC')} - interval 10 minute and now64(3) as has_ended
        from errata_raw.issue_actions
        where project_id in {projects:Array(UInt32)}
    )
    where is_since or has_ended
    union all
    select
        0 as arrived_count,
        toDateTime64(0, 3, 'UTC') as earliest,
        [] as arrived_issue_ids,
        [] as unplaced,
        count() as moved_count,
        [] as decided,
        0 as decision_count,
        0 as restored_count
    from errata_raw.variant_issues
    where
        project_id in {projects:Array(UInt32)}
        and recorded_at >= {built_through:DateTime64(3, 'UTC')}
        and authority > 0
    union all
    select
        0 as arrived_count,
        toDateTime64(0, 3, 'UTC') as earliest,
        [] as arrived_issue_ids,
        [] as unplaced,
        count() as moved_count,
        [] as decided,
        0 as decision_count,
        0 as restored_count
    from errata_raw.grouping_switches
    where
        project_id in {projects:Array(UInt32)}
        and switched_at >= {built_through:DateTime64(3, 'UTC')}
) as parts
