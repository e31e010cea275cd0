-- purpose: deletes events or page loads that raw no longer has from the files of a mart, by the ids that an erasure recorded

alter table ${table} delete
where
    project_id = {project_id:UInt32}
    and item_id in (
        select item_id
        from errata_raw.erased_items
        where
            project_id = {project_id:UInt32}
            and erasure_id = {erasure_id:UUID}
            and source = '${table}'
    )
settings mutations_sync = 1, allow_nondeterministic_mutations = 1
