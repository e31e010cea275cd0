-- purpose: records that marts were rebuilt without the rows of an erasure; an empty name: that no file holds them

insert into errata_ops.erased_marts (erasure_id, mart, window_count, number, set_aside_count)
select
    {erasure_id:UUID} as erasure_id,
    one.1 as mart,
    one.2 as window_count,
    one.3 as number,
    one.4 as set_aside_count
from (
    select arrayJoin(arrayZip(
        {marts:Array(String)},
        {window_counts:Array(UInt32)},
        {numbers:Array(UInt64)},
        {set_aside_counts:Array(UInt32)}
    )) as one
)
