-- errata_raw.error_events, errata_raw.deliveries
-- purpose: events over the payloads of their variant are counted without them, and bytes of lines can be limited
-- grain:   unchanged
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.error_events
    add column if not exists has_payload Bool default true comment 'false: over the payloads of its variant in a minute; the payload is empty' after payload;

alter table errata_raw.deliveries
    add column if not exists byte_count UInt64 comment 'of its lines as received, uncompressed; 0: from before';
