-- event_has_words
-- purpose: each of these words stands in an event's message, transaction or address
-- parameters: words
-- names: none
arrayAll(
    word -> positionCaseInsensitiveUTF8(concat(message, ' ', transaction, ' ', request_url), word) > 0,
    {${words}:Array(String)}
)
