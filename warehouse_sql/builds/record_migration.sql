-- purpose: records a migration as applied

insert into errata_ops.migrations (name, file_hash)
values ({name:String}, {file_hash:String})
