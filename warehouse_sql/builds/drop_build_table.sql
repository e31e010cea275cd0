-- drop_build_table
-- purpose: an attempt's table is dropped when its swaps are closed

drop table if exists errata_mart.${build} sync
