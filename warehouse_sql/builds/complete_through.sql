-- purpose: the clock by which rows are received; on a server of a replicated pair that lacks rows of the other one, the moment at which it began to lack them

select now64(3) - toIntervalSecond(max(absolute_delay)) as moment
from system.replicas
where database in ('errata_raw', 'errata_mart', 'errata_ops')
