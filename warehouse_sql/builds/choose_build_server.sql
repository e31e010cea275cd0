-- purpose: chooses the replica on which marts are built, where none was chosen yet; another choice is refused

insert into errata_ops.build_server (name, server)
select 'builds', {server:String}
