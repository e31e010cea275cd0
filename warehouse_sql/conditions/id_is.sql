-- id_is
-- purpose: a column is one of these values, as written
-- parameters: value
-- names: column
${column} in {${value}:Array(String)}
