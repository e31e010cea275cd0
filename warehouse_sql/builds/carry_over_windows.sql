-- carry_over_windows
-- purpose: of days that a build writes anew, the windows that it did not compute, as they count until now
-- parameters: days, windows (those computed), watermark, version
-- names: mart, window

insert into errata_mart.${mart}
select * replace (
    {watermark:DateTime64(3, 'UTC')} as built_through,
    {version:UInt64} + toUInt16(toDate(${window})) as version
)
from errata_mart.${mart}
where toDate(${window}) in {days:Array(Date)} and ${window} not in {windows:Array(DateTime('UTC'))}
