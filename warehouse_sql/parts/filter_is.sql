-- filter_is
-- purpose: rows that a filter leaves: all of them where none is chosen
-- names:   name
-- inputs:  none
({${name}:String} = '' or ${name} = {${name}:String})
