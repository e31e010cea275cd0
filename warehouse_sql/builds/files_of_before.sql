-- purpose: parts on the disk that were replaced until a moment, or detached, and dropped tables: they may hold what was deleted

select
    (
        select count()
        from system.parts
        where
            database in ('errata_raw', 'errata_mart')
            and not active
            and remove_time <= {until:DateTime64(3, 'UTC')}
    ) as inactive_count,
    (
        select count()
        from system.detached_parts
        where database in ('errata_raw', 'errata_mart')
    ) as detached_count,
    (
        select count()
        from system.dropped_tables
        where database in ('errata_raw', 'errata_mart')
    ) as dropped_count
