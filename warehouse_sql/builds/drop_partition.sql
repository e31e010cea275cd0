-- drop_partition
-- purpose: empties a partition of a mart whose windows hold nothing any more
-- parameters: partition_id

alter table errata_mart.${mart} drop partition id {partition_id:String}
