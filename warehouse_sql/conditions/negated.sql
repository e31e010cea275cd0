-- negated
-- purpose: a condition does not hold
-- parameters: none
-- names: condition
not (${condition})
