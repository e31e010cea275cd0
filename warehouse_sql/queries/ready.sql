-- purpose: whether this replica takes rows, lacks at most those of five seconds, and has about the clock of who asks
-- parameters: now_ms (Int64)
-- returns: one row: is_ready

select
    read_only_count = 0
    and delay_seconds < 5
    and abs(toUnixTimestamp64Milli(now64(3)) - {now_ms:Int64}) < 2000 as is_ready
from errata_read.readiness
