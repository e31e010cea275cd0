-- any_of_texts
-- purpose: a column is one of these values, letter for letter
-- parameters: value
-- names: column
${column} in {${value}:Array(String)}
