-- purpose: takes out of a build what an insert that failed, or was wrong, has left of its windows
-- parameters: windows, first, last, excluded (projects)

alter table errata_mart.${mart} delete in partition id '${partition_id}'
where
    ${window} in {windows:Array(DateTime('UTC'))}
    and project_id between {first:UInt32} and {last:UInt32}
    and project_id not in {excluded:Array(UInt32)}
settings mutations_sync = 1
