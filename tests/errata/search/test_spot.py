from errata.search.spot import spot
from tests.cases import each


@each(
    ("text", "key", "typed", "replaced"),
    [
        ("|", "", "", ""),
        ("bro|", "", "bro", "bro"),
        ("is:resolved bro|", "", "bro", "bro"),
        ("!bro|", "", "bro", "bro"),
        ("browser:|", "browser", "", ""),
        ("browser:Chr|", "browser", "Chr", "Chr"),
        ("browser:Ch|rome os:x", "browser", "Ch", "Chrome"),
        ('browser:"Mobile Sa|', "browser", "Mobile Sa", '"Mobile Sa'),
        ('browser:"Mobile Sa|fari" os:x', "browser", "Mobile Sa", '"Mobile Safari"'),
        ("browser:[Chrome, Fi|", "browser", "Fi", "Fi"),
        ("browser:[Chrome, |]", "browser", "", ""),
        ("bro|wser:Chrome", "", "bro", "browser:"),
        ("events:>1|", "events", "1", "1"),
        ("tags[level]:g|", "level", "g", "g"),
        ("std::m|", "std", ":m", ":m"),
        ('"two wo|', "", '"two wo', '"two wo'),
    ],
)
def test_the_place_of_the_cursor_says_what_is_typed(text: str, key: str, typed: str, replaced: str) -> None:
    cursor = text.index("|")
    text = text.replace("|", "")
    found = spot(text, cursor)
    assert (found.key, found.typed, text[found.start : found.end]) == (key, typed, replaced)


@each("text", ['a:[b, "c d", e', 'x "y z', "tags[a b]:c", "!!a::b", '[":,]"'])
def test_no_place_is_outside_of_the_text(text: str) -> None:
    for cursor in range(-1, len(text) + 2):
        found = spot(text, cursor)
        assert 0 <= found.start <= found.end <= len(text)
