-- any_text_has_words
-- purpose: one text of a list is like all of these patterns, letter case aside
-- parameters: value
-- names: column
arrayExists(
    text -> arrayAll(word -> lowerUTF8(text) like word, {${value}:Array(String)}),
    ${column}
)
