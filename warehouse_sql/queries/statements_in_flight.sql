-- purpose: how many statements of our users the warehouse is answering, but for this one
-- parameters: users (what their names begin with)
-- returns: one row: statement_count

select count() as statement_count
from system.processes
where startsWith(user, {users:String}) and query_id != queryID()
