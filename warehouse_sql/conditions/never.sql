-- never
-- purpose: nothing can fulfil it
-- parameters: none
-- names: none
false
