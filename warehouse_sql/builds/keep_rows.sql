-- purpose: the rows of windows that a build did not compute, as they count until now: of projects set aside, or of all others
-- parameters: windows, projects, are_others (those named were computed, and all others are kept), watermark, version

insert into errata_mart.${mart}
select * replace (
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(${window})) as version
)
from errata_mart.${mart}
where
    ${window} in {windows:Array(DateTime('UTC'))}
    and (project_id in {projects:Array(UInt32)}) != {are_others:Bool}
