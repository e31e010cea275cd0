-- totals_with_arrivals
-- purpose: issues that something arrived of since the totals, with the parameters of the question
-- parameters: none
-- names: none
errata_read.issues_with_arrivals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    counted_through = {counted_through:DateTime64(3, 'UTC')},
    earliest = {earliest:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)},
    issue_ids = {issue_ids:Array(UInt64)},
    joining_variants = {joining_variants:Array(UInt64)},
    joined_issues = {joined_issues:Array(UInt64)}
)
