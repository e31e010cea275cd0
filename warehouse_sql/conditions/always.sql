-- always
-- purpose: nothing is asked
-- parameters: none
-- names: none
true
