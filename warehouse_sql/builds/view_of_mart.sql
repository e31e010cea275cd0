-- purpose: a view of a mart's published rows
-- names: view, columns (names, types and comments), selected (names), table, mart (the table without its database)

create or replace view ${view}
(
    ${columns}
)
definer = current_user sql security definer
as
select ${selected}
from ${table}
where version in (select version from errata_read.published_versions where mart = '${mart}')
