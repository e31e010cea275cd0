-- purpose: records that a migration's statements were executed up to this one

insert into errata_ops.migrations_begun (name, file_hash, statement_count)
values ({name:String}, {file_hash:String}, {statement_count:UInt32})
