-- text_present
-- purpose: a column says anything
-- parameters: none
-- names: column
${column} != ''
