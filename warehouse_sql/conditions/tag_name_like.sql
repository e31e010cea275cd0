-- tag_name_like
-- purpose: a tag is there whose name is like a pattern, letter case aside
-- parameters: value
-- names: none
arrayExists(name -> lowerUTF8(name) like {${value}:String}, mapKeys(tags))
