-- errata_read.readiness
-- purpose: whether this server takes rows and has those of the other replicas; alone it always does
-- returns: one row: read_only_count (tables that take no rows, as without a connection to Keeper), delay_seconds (since the oldest row that is yet to be fetched)
-- inputs:  system.replicas

create or replace view errata_read.readiness
definer = current_user sql security definer
as
select
    countIf(is_readonly) as read_only_count,
    max(absolute_delay) as delay_seconds
from system.replicas
where startsWith(database, 'errata_')
