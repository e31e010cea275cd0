-- placed_as_named
-- purpose: the variants of issues as the question names them; with its parameters
-- parameters: none
-- names: none
select
    placed.1 as variant_hash,
    placed.2 as issue_id
from (
    select arrayJoin(arrayZip({variants:Array(UInt64)}, {issues:Array(UInt64)})) as placed
)
