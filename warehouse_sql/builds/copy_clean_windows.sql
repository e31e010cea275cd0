-- copy_clean_windows
-- purpose: takes what did not change of a partition over into the build
-- parameters: partitions, windows (the dirty ones), watermark

insert into errata_mart.${build}
select * replace ({watermark:DateTime64(3, 'UTC')} as built_through)
from errata_mart.${mart} as current
where
    _partition_id in {partitions:Array(String)}
    and ${column} not in {windows:Array(DateTime('UTC'))}
    -- A kill inside a swap can leave two versions of a partition; the later one holds.
    and (_partition_id, current.built_through) in (
        select
            _partition_id,
            max(built_through)
        from errata_mart.${mart}
        where _partition_id in {partitions:Array(String)}
        group by _partition_id
    )
