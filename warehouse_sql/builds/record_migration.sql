-- record_migration
-- purpose: records a migration as applied
-- parameters: name, file_hash

insert into errata_ops.migrations (name, file_hash)
values ({name:String}, {file_hash:String})
