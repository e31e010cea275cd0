from errata.search import parse
from errata.search.hints import hints
from errata.search.toggle import has_value, toggled
from tests.cases import each


@each(
    ("text", "key", "is_tag", "value", "changed"),
    [
        ("", "browser", False, "Chrome", "browser:Chrome"),
        ("is:new", "release", False, "shop@2.10.0", "is:new release:shop@2.10.0"),
        ("browser:Chrome os:x", "browser", False, "Mobile Safari", 'browser:[Chrome, "Mobile Safari"] os:x'),
        ("browser:[Chrome, Edge]", "browser", False, "chrome", "browser:Edge"),
        ("a browser:Chrome b", "browser", False, "Chrome", "a b"),
        ("!browser:Chrome", "browser", False, "Edge", "!browser:Chrome browser:Edge"),
        ("release:>=2", "release", False, "2.1", "release:>=2 release:2.1"),
        ("", "level", True, "gold", "tags[level]:gold"),
        ("plan:gold", "plan", True, "*", "tags[plan]:[gold, \\*]"),
    ],
)
def test_a_click_adds_a_value_and_takes_it_away_again(
    text: str, key: str, is_tag: bool, value: str, changed: str
) -> None:
    before = parse(text)
    after = toggled(before, key, is_tag, value)
    assert after == parse(str(after)) == parse(changed)
    assert has_value(after, key, is_tag, value) is not has_value(before, key, is_tag, value)
    if not has_value(before, key, is_tag, value):
        assert toggled(after, key, is_tag, value) == before


def test_a_search_that_finds_nothing_says_what_may_have_been_meant() -> None:
    (hint,) = hints(parse("a enviroment:prod !no.such:x"))
    assert hint.query == "a environment:prod !tags[no.such]:x"
    assert '"enviroment" isn\'t a known field' in hint.words
    assert hints(parse("plan:gold browser:Chr"))[1].words.startswith("browser matches whole values")
    assert not hints(parse("timeout is:resolved"))
