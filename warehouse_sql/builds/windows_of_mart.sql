-- windows_of_mart
-- purpose: which of some windows a mart holds rows of
-- parameters: windows
-- names: mart, column
-- inputs: errata_mart.${mart}

select distinct toDateTime(${column}, 'UTC') as start
from errata_mart.${mart}
where start in {windows:Array(DateTime('UTC'))}
