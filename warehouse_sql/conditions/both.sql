-- both
-- purpose: two conditions hold
-- parameters: none
-- names: left, right
(${left}) and (${right})
