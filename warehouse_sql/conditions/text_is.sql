-- text_is
-- purpose: a column is one of these values, letter case aside
-- parameters: value
-- names: column
lowerUTF8(${column}) in {${value}:Array(String)}
