-- tag_is
-- purpose: a tag is one of these values, letter case aside; a tag that is not there is empty
-- parameters: tag, value
-- names: none
lowerUTF8(tags[{${tag}:String}]) in {${value}:Array(String)}
