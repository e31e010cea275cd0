-- errata_raw.page_views
-- purpose: interactions that name their trace alone are found without looking through all of a day
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.page_views
    add index if not exists trace_id_bloom trace_id type bloom_filter(0.01) granularity 1;

-- In the background: what is indexed of old parts is quicker to find, what is not yet is found all the same.
alter table errata_raw.page_views materialize index trace_id_bloom settings mutations_sync = 0;
