-- errata_mart.similar_issues, errata_mart.regrouping_proposals, errata_mart.release_metrics, errata_mart.release_impact, errata_mart.change_points, errata_mart.budget_status
-- purpose: rows that are sent again because the answer to them was lost count once
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_mart.similar_issues
    modify setting non_replicated_deduplication_window = 1000;

alter table errata_mart.regrouping_proposals
    modify setting non_replicated_deduplication_window = 1000;

alter table errata_mart.release_metrics
    modify setting non_replicated_deduplication_window = 1000;

alter table errata_mart.release_impact
    modify setting non_replicated_deduplication_window = 1000;

alter table errata_mart.change_points
    modify setting non_replicated_deduplication_window = 1000;

alter table errata_mart.budget_status
    modify setting non_replicated_deduplication_window = 1000;
