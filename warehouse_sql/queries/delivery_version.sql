-- delivery_version
-- purpose: a number that changes with every build of the days that a reader of delivery_files reads
-- parameters: since
-- returns: one row: version
-- inputs:  errata_mart.delivery_daily

select sum(cityHash64(day, built_through)) as version
from (
    select distinct
        day,
        built_through
    from errata_mart.delivery_daily
    where day >= {since:Date}
) as builds
