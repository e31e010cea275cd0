-- carry_over_projects
-- purpose: windows of some projects as they count until now: of those set aside, or of all others where one of them is built after all
-- parameters: windows, projects, are_others (those named are built, and all others carried over), watermark, version
-- names: mart, window

insert into errata_mart.${mart}
select * replace (
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(${window})) as version
)
from errata_mart.${mart}
where
    ${window} in {windows:Array(DateTime('UTC'))}
    and (project_id in {projects:Array(UInt32)}) != {are_others:Bool}
