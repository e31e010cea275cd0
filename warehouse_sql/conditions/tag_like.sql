-- tag_like
-- purpose: a tag is there and like a pattern, letter case aside
-- parameters: tag, value
-- names: none
mapContains(tags, {${tag}:String}) and lowerUTF8(tags[{${tag}:String}]) like {${value}:String}
