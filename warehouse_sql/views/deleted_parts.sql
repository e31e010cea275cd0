-- errata_read.deleted_parts
-- purpose: which part of what variants have is gone: what came in before the last deletion of their issue that nobody took back
-- parameters: decided_before (what people decided before it counts)
-- returns: one row per variant and deletion that anything gone may have come after (1970: none): after_deletion_at, and cut_at, the
--   deletion that holds. A deletion names the variants that its issue had then: it stays with them through merges and splits
-- inputs:  errata_raw.issue_actions

create or replace view errata_read.deleted_parts
sql security invoker
as
with deletions as (
    select
        project_id,
        arrayJoin(JSONExtract(detail, 'variants', 'Array(UInt64)')) as variant_hash,
        acted_at,
        -- As in actions_in_force.
        action_id not in (
            select about_action_id
            from errata_raw.issue_actions
            where
                action = 'undo'
                and acted_at < {decided_before:DateTime64(6, 'UTC')}
        ) as is_in_force
    from errata_raw.issue_actions
    where
        action = 'delete'
        and acted_at < {decided_before:DateTime64(6, 'UTC')}
),

variants as (
    select
        project_id,
        variant_hash,
        maxIf(acted_at, is_in_force) as cut_at,
        groupArray(acted_at) as moments
    from deletions
    group by project_id, variant_hash
    having cut_at > toDateTime64(0, 6, 'UTC')
)

select
    project_id,
    variant_hash,
    cut_at,
    arrayJoin(
        arrayPushFront(arrayFilter(at -> at < cut_at, moments), toDateTime64(0, 6, 'UTC'))
    ) as after_deletion_at
from variants
