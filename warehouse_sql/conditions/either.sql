-- either
-- purpose: one of two conditions holds
-- parameters: none
-- names: left, right
(${left}) or (${right})
