-- purpose: records which model a mart's table was made from

insert into errata_ops.mart_models (mart, file_hash)
values ({mart:String}, {file_hash:String})
