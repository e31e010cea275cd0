-- number_present
-- purpose: a number or hash is there
-- parameters: none
-- names: column
${column} != 0
