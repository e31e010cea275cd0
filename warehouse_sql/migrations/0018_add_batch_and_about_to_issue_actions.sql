-- errata_raw.issue_actions
-- purpose: decisions are taken back one by one, and all that one request made together
-- grain:   one row per decision about one issue
-- key:     project_id, issue_id, acted_at
-- engine:  MergeTree, append-only, no TTL
-- order:   as before
-- inputs:  none

alter table errata_raw.issue_actions
    add column batch_id UUID default action_id comment 'the request it was made by: what one undo takes back',
    add column about_action_id UUID comment 'undo and changes of a comment: the action it is about; else nil',
    modify column action LowCardinality(String) comment 'a word of errata/workflow/vocabulary.py',
    modify column actor LowCardinality(String) comment 'e-mail of the person, or the API key; empty: nobody';
