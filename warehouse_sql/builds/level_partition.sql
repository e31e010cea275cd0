-- level_partition
-- purpose: all rows of a built partition say that they were built through the same moment
-- parameters: built_through
-- names: partition_id

alter table errata_mart.${build} update built_through = {built_through:DateTime64(3, 'UTC')}
in partition id '${partition_id}'
where built_through != {built_through:DateTime64(3, 'UTC')}
settings mutations_sync = 1
