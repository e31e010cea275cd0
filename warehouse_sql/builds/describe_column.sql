-- describe_column
-- purpose: what a column of a mart is, for whoever looks at the table
-- names:   table, column, words

alter table ${table} comment column ${column} '${words}'
