-- purpose: erasures whose rows are gone from raw, and whose marts were not rebuilt or whose files not checked; oldest first. Marts are waiting that
--   were rebuilt with windows set aside

select
    asked.project_id as project_id,
    asked.erasure_id as erasure_id,
    asked.kind as kind,
    asked.variants as variants,
    asked.issues as issues,
    rebuilt.rebuilt_at as rebuilt_at,
    rebuilt.waiting as waiting
from (
    select
        project_id,
        erasure_id,
        any(kind) as kind,
        argMax(variants, recorded_at) as variants,
        argMax(issues, recorded_at) as issues,
        argMax(state, recorded_at) as latest,
        min(asked_at) as since
    from errata_raw.erasures
    where erasure_id not in (select erasure_id from errata_ops.erased_marts where mart = '')
    group by project_id, erasure_id
) as asked
left join (
    select
        erasure_id,
        max(latest.1) as rebuilt_at,
        groupArrayIf(mart, latest.2 > 0) as waiting
    from (
        select
            erasure_id,
            mart,
            max((recorded_at, set_aside_count)) as latest
        from errata_ops.erased_marts
        group by erasure_id, mart
    )
    group by erasure_id
) as rebuilt on asked.erasure_id = rebuilt.erasure_id
where asked.latest = 'settled'
order by asked.since, asked.erasure_id
