-- purpose: the comments of columns of a mart
-- names: table, comments (one or more of: comment column name 'text')

alter table ${table} ${comments}
