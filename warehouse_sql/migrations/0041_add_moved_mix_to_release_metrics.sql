-- errata_mart.release_metrics
-- purpose: what else changed with a release, besides its pages
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.release_metrics
    add column if not exists moved_mix Array(String) default [] comment 'what the page loads compared are of in other shares than before, and no comparison adjusts for: browsers, identified_users' after verdict;
