-- configuration_in_force
-- purpose: which of a project's configurations of grouping holds
-- returns: one row: configuration
-- inputs:  errata_raw.grouping_switches

select if(count() = 0, 1, argMax(configuration, switched_at)) as configuration
from errata_raw.grouping_switches
