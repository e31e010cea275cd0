-- id_like
-- purpose: a column is like a pattern, as written
-- parameters: value
-- names: column
${column} like {${value}:String}
