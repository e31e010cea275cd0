-- errata_raw.deliveries
-- purpose: a file is known by its first line, so that rotation and emptying do not mix two of them; ends and lines set aside are told
-- grain:   unchanged, and one row per report of a range that held nothing to send
-- key:     project_id, host, file, byte_from
-- engine:  unchanged
-- order:   unchanged
-- inputs:  none

alter table errata_raw.deliveries
    add column file_id String comment 'hash of the first line; empty: the shipper told none',
    add column set_aside_count UInt32 comment 'lines of the range kept on the host, not sent',
    add column file_end LowCardinality(String) comment 'removed, replaced: bytes from byte_to to file_bytes can never be delivered',
    add column base_name String default if(
        match(file, '^errata-[0-9]{4}-[0-9]{2}-[0-9]{2}[.]log([.-].*)?$'),
        substring(file, 1, 21),
        file
    ) comment 'without what rotation adds',
    add column named_date Date default toDateOrZero(
        extract(base_name, '^errata-([0-9]{4}-[0-9]{2}-[0-9]{2})[.]log$')
    ) comment '1970: the name holds none',
    add column day Date default if(
        named_date >= toDate(received_at) - 398 and named_date <= toDate(received_at) + 2,
        named_date,
        toDate(received_at)
    ) comment 'of the log file: by its name, or of receipt where that says none or an impossible one';
