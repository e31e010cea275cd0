-- filter_is
-- purpose: rows that a filter leaves: all of them where none is chosen
-- parameters: name
-- names: none
({${name}:String} = '' or ${name} = {${name}:String})
