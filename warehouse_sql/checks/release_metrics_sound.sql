-- purpose: how many releases are told wrongly or not at all: more page loads than there are, percentiles that fall, a ratio outside its interval, or no row
-- returns: one row: wrong_count

with judged as (
    select *
    from errata_mart.release_metrics
    order by built_through desc
    limit 1 by project_id, environment, release
),

builds as (
    select max(watermark) as watermark
    from errata_ops.builds
    where mart = 'release_metrics'
),

counted as (
    select
        project_id,
        environment::String as environment,
        release::String as release,
        sum(sample_count) as loads,
        min(day) as first_day,
        min(daily.built_through) as seen_at
    from errata_mart.page_metrics_daily as daily
    where
        metric = 'view'
        and navigation_type = 'navigate'
        -- Beyond the bound of names a day: no release to compare.
        and release not in ('', '(other)')
    group by project_id, environment, release
)

select
    countIf(
        view_count > counted.loads
        or load_ms_p50 > load_ms_p75
        or load_ms_p75 > load_ms_p95
        or crash_free_ratio < crash_free_low
        or crash_free_ratio > crash_free_high
        or crashed_count > session_count
        or error_ratio < error_ratio_low
        or error_ratio > error_ratio_high
    ) + (
        select count()
        from counted
        where
            -- What began before the days that a build looks at is only told where it was known before.
            first_day > today() - 40
            and seen_at < (select watermark from builds)
            and (project_id, environment, release) not in (select project_id, environment, release from judged)
            -- Told by themselves: they are tried again.
            and project_id not in (
                select project_id
                from errata_read.set_aside_windows
                where mart in ('release_metrics', 'release_impact')
            )
    ) as wrong_count
from judged
left join counted using (project_id, environment, release)
