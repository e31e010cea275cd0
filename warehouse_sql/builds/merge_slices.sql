-- purpose: merges the parts that the slices of a snapshot were inserted as: each statement of a reader opens every part

optimize table errata_mart.${mart} partition id '${partition_id}' final
settings optimize_skip_merged_partitions = 1
