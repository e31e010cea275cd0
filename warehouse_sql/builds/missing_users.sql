-- purpose: which of these users the server does not have

select arrayJoin({names:Array(String)}) as name
where name not in (select users.name from system.users as users)
