-- value_of_column
-- purpose: what a column says
-- parameters: none
-- names: column
${column}
