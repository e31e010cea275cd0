-- purpose: which of these issues there are, and the one each is part of by now
-- returns: one row per known issue: asked_id, issue_id, and the variants of that one

with variants as materialized (
    select
        variant_hash,
        own_issue_id,
        issue_id
    -- Decisions read the logs: a process may have ended before it wrote the assignments.
    from errata_read.assignments_by_log(
        projects = [], is_chosen = false, variants = [], issues = []
    )
),

asked as (
    select
        arrayJoin({issue_ids:Array(UInt64)}) as asked_id,
        anyIf(issue_id, own_issue_id = asked_id) as led_to,
        countIf(issue_id = asked_id) > 0 as is_whole
    from variants
    group by asked_id
)

select
    asked.asked_id as asked_id,
    variants.issue_id as issue_id,
    groupArray(variants.variant_hash) as variants
from (
    select
        asked_id,
        if(is_whole, asked_id, led_to) as whole_id
    from asked
) as asked
inner join variants on asked.whole_id = variants.issue_id
group by asked_id, issue_id
settings enable_materialized_cte = 1
