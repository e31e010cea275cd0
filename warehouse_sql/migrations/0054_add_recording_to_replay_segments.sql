-- errata_raw.replay_segments
-- purpose: recordings as inflated JSON in blocks that span many segments, whose pages are much alike, with what a list of replays tells of them
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.replay_segments
    add column if not exists recording String default '' comment 'JSON array of rrweb events; empty: a description, or from before'
        codec(ZSTD(3)) settings (min_compress_block_size = 8388608, max_compress_block_size = 8388608),
    add column if not exists recording_bytes UInt32 default 0 comment 'of the JSON array',
    add column if not exists event_count UInt32 default 0 comment 'rrweb events',
    add column if not exists first_event_at DateTime64(3, 'UTC') default toDateTime64(0, 3, 'UTC') comment '1970: a description, or no event',
    add column if not exists last_event_at DateTime64(3, 'UTC') default toDateTime64(0, 3, 'UTC'),
    add column if not exists click_count UInt32 default 0,
    add column if not exists rage_click_count UInt32 default 0 comment 'three or more clicks on one element in quick succession',
    add column if not exists dead_click_count UInt32 default 0 comment 'clicks after which nothing on the page changed',
    add column if not exists console_error_count UInt32 default 0,
    add column if not exists request_count UInt32 default 0 comment 'of fetch and XMLHttpRequest',
    add column if not exists navigation_count UInt32 default 0 comment 'page loads and changes of address',
    add column if not exists is_unmasked Bool default false comment 'most text of its pages can be read',
    add column if not exists browser LowCardinality(String) default '' comment 'of the description; empty: not told',
    add column if not exists os LowCardinality(String) default '',
    add column if not exists device LowCardinality(String) default '' comment 'desktop, mobile, tablet, bot, or a model';
