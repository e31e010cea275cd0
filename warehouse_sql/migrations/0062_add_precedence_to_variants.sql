-- errata_raw.variants
-- purpose: variants as source maps show them, beside the rows as they were recorded
-- grain:   one row per variant and ingest node that met it first, and one per time it was read through source maps; read the one with the least
--   precedence
-- key:     unchanged
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.variants
    add column if not exists mapped_at DateTime64(3, 'UTC') comment 'when it was read through source maps; 1970: as it was recorded',
    add column if not exists precedence Tuple(DateTime64(3, 'UTC'), Int64) alias (first_seen_at, -toUnixTimestamp64Milli(mapped_at)) comment 'the row with the least one holds: of the node that met the variant first, as last read through source maps';
