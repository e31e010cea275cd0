-- errata_read.published_versions
-- purpose: the versions of marts that counted ten seconds ago, for views, which the client cannot filter. A statement that opened a mart before a
--   build was published does not choose that build's versions
-- returns: one row per mart and version: mart, version
-- inputs:  errata_ops.builds

create or replace view errata_read.published_versions
definer = current_user sql security definer
as
select
    mart,
    arrayJoin(argMax(partitions.version, number)) as version
from errata_ops.builds
where finished_at < now64(6) - interval 10 second
group by mart
