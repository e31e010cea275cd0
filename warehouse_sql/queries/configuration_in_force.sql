-- configuration_in_force
-- purpose: which of a project's configurations of grouping holds
-- parameters: project_id
-- returns: one row: configuration
-- inputs:  errata_read.grouping_switches

select if(count() = 0, 1, argMax(configuration, switched_at)) as configuration
from errata_read.grouping_switches(projects = [{project_id:UInt32}])
