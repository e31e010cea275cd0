-- errata_raw.deliveries
-- purpose: the services that a batch's lines came from, so that the ledger and the use of limits can be narrowed to one
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.deliveries
    add column if not exists service LowCardinality(String) default '' comment 'of the application keys of the accepted lines, else of the batch; (several): more than one; empty: a key without a service, or from before',
    add column if not exists lines_of_services Array(Tuple(LowCardinality(String), UInt32, UInt32)) comment 'service, accepted and rejected lines; empty: all are of the column service';
