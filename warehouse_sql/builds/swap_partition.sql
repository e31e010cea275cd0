-- swap_partition
-- purpose: puts a built partition in the place of the mart's own
-- parameters: partition_id

alter table errata_mart.${mart} replace partition id {partition_id:String} from errata_mart.${build}
