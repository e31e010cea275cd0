-- totals_with_arrivals
-- purpose: issues that something arrived of since the totals, with the parameters of the question
-- parameters: none
-- names: none
errata_read.issues_with_arrivals(
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)},
    issue_ids = {issue_ids:Array(UInt64)},
    came_counts = {came_counts:Array(UInt64)},
    user_counts = {user_counts:Array(UInt64)},
    came_firsts = {came_firsts:Array(Int64)},
    came_lasts = {came_lasts:Array(Int64)}
)
