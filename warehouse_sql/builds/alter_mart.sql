-- purpose: gives a mart the columns of its changed model; rows stay

alter table ${table} ${clause}
