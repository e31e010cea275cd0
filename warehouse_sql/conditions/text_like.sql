-- text_like
-- purpose: a column is like a pattern, letter case aside
-- parameters: value
-- names: column
lowerUTF8(${column}) like {${value}:String}
