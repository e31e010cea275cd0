-- create_build_table
-- purpose: an attempt's own empty copy of a mart

create table errata_mart.${build} as errata_mart.${mart}
