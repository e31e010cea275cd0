-- any_text_is
-- purpose: any text of a list is one of these values, letter case aside
-- parameters: value
-- names: column
arrayExists(text -> lowerUTF8(text) in {${value}:Array(String)}, ${column})
