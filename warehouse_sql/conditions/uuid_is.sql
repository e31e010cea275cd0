-- uuid_is
-- purpose: a column is one of these ids
-- parameters: value
-- names: column
${column} in {${value}:Array(UUID)}
