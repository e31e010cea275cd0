-- purpose: how many changes of level contradict themselves or the days they were found in, and how many projects were not looked through
-- returns: one row: wrong_count

with held as (
    select
        project_id,
        max(built_through) as built_through
    from errata_mart.change_points
    group by project_id
),

builds as (
    select max(watermark) as watermark
    from errata_ops.builds
    where mart = 'change_points'
)

select
    countIf(
        metric != ''
        and (
            abs(level_after / level_before - 1 - change_ratio) > 1e-6
            or kind not in ('step', 'drift')
            or p_value not between 0 and 0.05
            or day not between first_day and last_day
            or moved_together < 1
            or (went_away_on != '1970-01-01' and went_away_on <= day)
            or day >= toDate(points.built_through)
        )
    ) + (
        select uniqExact(project_id)
        from errata_mart.page_metrics_daily as daily
        where
            metric = 'view'
            and day >= toDate((select watermark from builds)) - 181
            and daily.built_through < (select watermark from builds)
            and project_id not in (select project_id from held where built_through = (select watermark from builds))
    ) as wrong_count
from errata_mart.change_points as points
where (project_id, points.built_through) in (select project_id, built_through from held)
