-- drop_partition
-- purpose: drops the rows of one version
-- names: mart, partition_id

alter table errata_mart.${mart} drop partition id '${partition_id}'
