-- totals_put_together
-- purpose: issues that no build has put together as they are by now, with the parameters of the question
-- parameters: none
-- names: none
errata_read.issues_put_together(
    period = {period:String},
    since = {since:DateTime('UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)},
    moved_variants = {moved_variants:Array(UInt64)},
    moved_into = {moved_into:Array(UInt64)},
    moved_are_merged = {moved_are_merged:Array(Bool)},
    issue_ids = {issue_ids:Array(UInt64)},
    came_counts = {came_counts:Array(UInt64)},
    came_users = {came_users:Array(Array(UInt64))},
    came_firsts = {came_firsts:Array(Int64)},
    came_lasts = {came_lasts:Array(Int64)}
)
