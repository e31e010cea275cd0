-- errata_ops.build_watermarks
-- purpose: late rows of some windows wait for a later build, though the watermark has passed them
-- grain:   unchanged
-- key:     mart, finished_at
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_ops.build_watermarks
    add column if not exists waiting Array(Tuple(
        window_start DateTime('UTC'),
        since DateTime64(3, 'UTC'),
        row_count UInt64
    )) comment 'windows left to a later build: rows of them received from `since` on are not in the mart';
