-- partitions_of_mart
-- purpose: the partitions built lately, for the checks that recount them
-- parameters: since, limit
-- names: mart, column
-- inputs: errata_mart.${mart}

select
    toDateTime(toDate(${column}), 'UTC') as start,
    max(current.built_through) as built_through
from errata_mart.${mart} as current
group by start
having built_through > {since:DateTime64(3, 'UTC')}
order by start desc
limit {limit:UInt16}
