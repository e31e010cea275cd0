-- purpose: drops the rows of one version

alter table errata_mart.${mart} drop partition id '${partition_id}'
