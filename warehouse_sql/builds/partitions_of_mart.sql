-- purpose: the partitions built lately, for the checks that recount them

select
    toDateTime(toDate(${column}), 'UTC') as start,
    max(current.built_through) as built_through
from errata_mart.${mart} as current
group by start
having built_through > {since:DateTime64(3, 'UTC')}
order by start desc
limit {limit:UInt16}
