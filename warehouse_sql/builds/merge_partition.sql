-- merge_partition
-- purpose: leaves one part to swap in: a kill inside a swap then shows all of it or nothing

optimize table errata_mart.${build} partition id {partition_id:String} final
