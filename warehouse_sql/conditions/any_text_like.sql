-- any_text_like
-- purpose: any text of a list is like a pattern, letter case aside
-- parameters: value
-- names: column
arrayExists(text -> lowerUTF8(text) like {${value}:String}, ${column})
