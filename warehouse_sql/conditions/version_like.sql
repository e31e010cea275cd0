-- version_like
-- purpose: a release is like a pattern, or its version (what follows the last @) is, letter case aside
-- parameters: value
-- names: column
lowerUTF8(${column}) like {${value}:String}
or lowerUTF8(arrayElement(splitByChar('@', ${column}), -1)) like {${value}:String}
