-- never
-- purpose: a condition that nothing fulfils
-- inputs:  none
false
