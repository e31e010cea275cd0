-- tag_present
-- purpose: a tag is there, whatever its value
-- parameters: tag
-- names: none
mapContains(tags, {${tag}:String})
