-- errata_mart.similar_issues
-- purpose: pairs of issues whose stacks are alike, as the pipelines found them: near-certain ones are joined, others suggested
-- grain:   one row per pair and finding; the latest holds, and a pair found before keeps its row
-- key:     project_id, issue_id, other_issue_id, found_at
-- engine:  MergeTree, append-only: what was compared once is not compared again
-- order:   the pairs of one issue
-- inputs:  none

create table errata_mart.similar_issues
(
    project_id UInt32,
    issue_id UInt64 comment 'the later of the two: it would become part of the other',
    other_issue_id UInt64,
    found_at DateTime64(6, 'UTC') default now64(6),
    score Float64 comment '0 to 1: of their most alike stacks',
    is_near_certain Bool,
    reason String comment 'the shared frames and what else is the same, JSON' codec(ZSTD(3)),
    index other_issue_id_bloom other_issue_id type bloom_filter(0.01) granularity 1
)
engine = MergeTree
order by (project_id, issue_id, other_issue_id, found_at);
