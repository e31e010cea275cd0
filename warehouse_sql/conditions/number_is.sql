-- number_is
-- purpose: a column is one of these numbers
-- parameters: value
-- names: column
${column} in {${value}:Array(UInt64)}
