-- purpose: how many rows a later judgment of the same release has replaced

select count() as row_count, now() - interval 1 hour as before
from ${table}
where
    (project_id, environment, release, built_through) not in (
        select
            project_id,
            environment,
            release,
            max(built_through)
        from errata_mart.release_metrics
        group by project_id, environment, release
    )
    and built_through < before
