-- value_of_tag
-- purpose: what a tag says; empty: it is not there
-- parameters: tag
-- names: none
tags[{${tag}:String}]
