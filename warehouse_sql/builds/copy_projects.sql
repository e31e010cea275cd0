-- copy_projects
-- purpose: takes windows of some projects over into the build as the mart has them: of those set aside, or of all others where one of them is built after all
-- parameters: partitions, windows, projects, are_others (those named are built, and all others taken over), watermark

insert into errata_mart.${build}
with (
    -- In a partition all rows say the same: of several the latest would be taken for the only version.
    select (groupArray(partition_id), groupArray(built_at))
    from (
        select
            _partition_id as partition_id,
            max(filled.built_through) as built_at
        from errata_mart.${build} as filled
        group by partition_id
        union all
        select
            '' as partition_id,
            toDateTime64(0, 3, 'UTC') as built_at
    )
) as stamps
select * replace (transform(_partition_id, stamps.1, stamps.2, {watermark:DateTime64(3, 'UTC')}) as built_through)
from errata_mart.${mart} as current
where
    _partition_id in {partitions:Array(String)}
    and ${window} in {windows:Array(DateTime('UTC'))}
    and (project_id in {projects:Array(UInt32)}) != {are_others:Bool}
    -- A kill inside a swap can leave two versions of a partition; the later one holds.
    and (_partition_id, current.built_through) in (
        select
            _partition_id,
            max(built_through)
        from errata_mart.${mart}
        where _partition_id in {partitions:Array(String)}
        group by _partition_id
    )
