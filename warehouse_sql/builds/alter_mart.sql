-- alter_mart
-- purpose: gives a mart the columns of its changed model; rows stay
-- names: table, clause

alter table ${table} ${clause}
