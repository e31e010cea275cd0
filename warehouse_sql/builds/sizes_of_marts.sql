-- purpose: what each mart takes on the disk, and whether its builds are recorded, as they are since a later version

select
    table as mart,
    sum(bytes_on_disk) as byte_count,
    sum(rows) as row_count,
    (
        select count() from system.tables where database = 'errata_ops' and name = 'builds'
    ) as are_builds_recorded
from system.parts
where active and database = 'errata_mart' and has({marts:Array(String)}, mart)
group by mart
order by mart
