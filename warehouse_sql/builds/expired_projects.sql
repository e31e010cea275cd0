-- purpose: of which projects raw rows may be gone, and those received until which day

select
    project_id,
    max(expirations.through) as through
from errata_raw.expirations as expirations
where table = {table:String}
group by project_id
