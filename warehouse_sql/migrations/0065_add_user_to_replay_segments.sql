-- errata_raw.replay_segments
-- purpose: the user of a segment in columns, so that replays are found by user without reading descriptions
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.replay_segments
    add column if not exists user_id String default JSONExtractString(payload, 'user', 'id') comment 'of the description; empty: not told',
    add column if not exists user_email String default JSONExtractString(payload, 'user', 'email'),
    add column if not exists user_name String default JSONExtractString(payload, 'user', 'username'),
    add column if not exists user_ip String default JSONExtractString(payload, 'user', 'ip_address'),
    add column if not exists user_words LowCardinality(String) materialized concat(user_id, ' ', user_email, ' ', user_name, ' ', user_ip) comment 'to search: each text once per granule';
