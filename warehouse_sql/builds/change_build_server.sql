-- purpose: chooses another replica to build marts on, unless the former one was replaced meanwhile

alter table errata_ops.build_server
update server = {server:String}, chosen_at = now64(3)
where name = 'builds' and server = {former:String}
