-- purpose: deletes rows that a later judgment of the same release has replaced

alter table ${table} delete
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
    and built_through < {before:DateTime('UTC')}
