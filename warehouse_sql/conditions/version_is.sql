-- version_is
-- purpose: a release is one of these, or its version (what follows the last @) is, letter case aside
-- parameters: value
-- names: column
lowerUTF8(${column}) in {${value}:Array(String)}
or lowerUTF8(arrayElement(splitByChar('@', ${column}), -1)) in {${value}:Array(String)}
