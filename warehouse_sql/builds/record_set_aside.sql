-- purpose: records windows of projects as set aside, or as built after all

insert into errata_ops.set_aside_windows
    (mart, table_uuid, project_id, window_start, state, since, reason, message, attempt_count,
    next_attempt_at, row_count)
select {mart:String},
    (select uuid from system.tables where database = 'errata_mart' and name = {mart:String}),
    row.1, row.2, {state:String}, if(row.3 = toDateTime64(0, 3, 'UTC'), now64(3), row.3), row.4, row.5,
    row.6, now64(3) + toIntervalSecond(row.7), row.8
from (
    select arrayJoin(arrayZip(
        {projects:Array(UInt32)},
        {windows:Array(DateTime('UTC'))},
        {since:Array(DateTime64(3, 'UTC'))},
        {reasons:Array(String)},
        {messages:Array(String)},
        {attempt_counts:Array(UInt32)},
        {intervals:Array(UInt32)},
        {row_counts:Array(UInt64)}
    )) as row
)
