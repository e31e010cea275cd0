-- errata_raw.replay_segments
-- purpose: the replays of a list are read from the granules that hold them: their ids are random, so every granule's range holds one of many
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.replay_segments add index if not exists replay_id_bloom replay_id type bloom_filter(0.01) granularity 1;
