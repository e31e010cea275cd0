-- purpose: which of some windows a mart holds rows of

select distinct toDateTime(${column}, 'UTC') as start
from errata_mart.${mart}
where start in {windows:Array(DateTime('UTC'))}
