-- flag_is
-- purpose: a flag has this value
-- parameters: value
-- names: column
${column} = {${value}:Bool}
