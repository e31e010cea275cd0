-- purpose: rows that a filter leaves: all of them where none is chosen
({${name}:String} = '' or ${name} = {${name}:String})
