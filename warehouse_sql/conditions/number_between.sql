-- number_between
-- purpose: a number is at least one bound and at most the other
-- parameters: least, most
-- names: column
${column} between {${least}:UInt64} and {${most}:UInt64}
