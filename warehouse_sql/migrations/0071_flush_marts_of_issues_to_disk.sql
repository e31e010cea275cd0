-- errata_mart.similar_issues, errata_mart.regrouping_proposals
-- purpose: an inserted row is on the disk before its insert is acknowledged, as in every other mart
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.similar_issues
    modify setting fsync_after_insert = 1;

alter table errata_mart.regrouping_proposals
    modify setting fsync_after_insert = 1;
