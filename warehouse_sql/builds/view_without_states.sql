-- purpose: a view of another view's rows without its columns of states
-- names: view, columns (names, types and comments), selected (names), states (the other view)

create or replace view ${view}
(
    ${columns}
)
definer = current_user sql security definer
as
select ${selected}
from ${states}
