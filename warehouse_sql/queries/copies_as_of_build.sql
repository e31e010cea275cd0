-- copies_as_of_build
-- purpose: whether all copies of events are known that a build counts
-- parameters: counted_through
-- returns: one row: are_known, and as_of, which changes with every build
-- inputs:  errata_read.build_progress

select
    max(as_of) as as_of,
    as_of >= {counted_through:DateTime64(3, 'UTC')} as are_known
from errata_read.build_progress
where mart = 'repeated_events'
