-- totals_untouched
-- purpose: issues as a build has them, that nothing arrived of since, with the parameters of the question
-- parameters: none
-- names: none
errata_read.listed_totals(
    projects = [{project_id:UInt32}],
    period = {period:String},
    since = {since:DateTime('UTC')},
    built_through = {built_through:DateTime64(3, 'UTC')},
    environments = {environments:Array(String)}
)
