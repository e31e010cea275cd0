"""The language of the search box: text to terms, terms to text, and mistakes that say where they are."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from errata.search import Search, SearchError, parse
from errata.search.keys import KEYS
from errata.search.pattern import Pattern
from errata.search.terms import (
    Age,
    Choices,
    Has,
    Number,
    Operator,
    Releases,
    Tags,
    Term,
    Texts,
    Words,
)
from tests.cases import each

MISTAKES = (
    *(
        "a",
        "OR",
        "AND",
        '"OR"',
        "!b",
        '"open',
        "tail\\",
        "browser:[",
        "browser:[a,",
        "browser:[]",
        "browser:",
    ),
    *("browser:a", "browser:b", "!browser:c", "browser:[a, b]", "tags[x]:1", "tags[x]:2", "is:", "!is:"),
    *("is:unresolvd", "is:new", "is:resolved", "level:eror", "!level:[eror, info]", "events:1", "events:x"),
    *("events:>5", "age:>x", "age:24h", "age:[x, y]", "last_seen:>+1d", "last_seen:x", "assigned:>me"),
    *("assigned:who", "handled:perhaps", "priority:hgh", "trace:x", "release:>1", "release:>2.*", "has:>x"),
)


def p(text: str) -> Pattern:
    return Pattern(tuple(text.split("*")))


@each(
    ("text", "terms"),
    [
        ("", []),
        ("  \t ", []),
        ("timeout", [Words(False, p("timeout"))]),
        ("!timeout", [Words(True, p("timeout"))]),
        ('"not found" cart', [Words(False, p("not found")), Words(False, p("cart"))]),
        ("is:unresolved", [Choices(False, "is", ("unresolved",))]),
        ("is:archived", [Choices(False, "is", ("ignored",))]),
        ("!is:[resolved, ignored]", [Choices(True, "is", ("resolved", "ignored"))]),
        ("browser:Chrome", [Texts(False, "browser", (p("Chrome"),))]),
        ("browser.name:Chrome", [Texts(False, "browser", (p("Chrome"),))]),
        ("!browser:[Chrome, Fire*]", [Texts(True, "browser", (p("Chrome"), p("Fire*")))]),
        ('browser:["Mobile Safari",Edge]', [Texts(False, "browser", (p("Mobile Safari"), p("Edge")))]),
        ("user.email:ada@example.org", [Texts(False, "user.email", (p("ada@example.org"),))]),
        ("plan:gold", [Tags(False, "plan", (p("gold"),))]),
        ("tags[level]:gold", [Tags(False, "level", (p("gold"),))]),
        ("tags[my tag]:gold", [Tags(False, "my tag", (p("gold"),))]),
        ('plan:""', [Tags(False, "plan", (p(""),))]),
        ("has:plan", [Has(False, (p("plan"),))]),
        ("!has:[plan, user]", [Has(True, (p("plan"), p("user")))]),
        ("release:2.*", [Releases(False, "release", Operator.EQUAL, (p("2.*"),))]),
        ("release:>=2.10.0", [Releases(False, "release", Operator.AT_LEAST, (p("2.10.0"),))]),
        ("release:[a, b]", [Releases(False, "release", Operator.EQUAL, (p("a"), p("b")))]),
        ("events:>100", [Number(False, "events", Operator.GREATER, 100)]),
        ("events:=5", [Number(False, "events", Operator.EQUAL, 5)]),
        ("users:<2k", [Number(False, "users", Operator.LESS, 2000)]),
        ("age:-24h", [Age(False, "age", True, 24, "h")]),
        ("age:>7d", [Age(False, "age", False, 7, "d")]),
        ("first_seen:-2w", [Age(False, "first_seen", True, 2, "w")]),
        ("last_seen:+30min", [Age(False, "last_seen", False, 30, "m")]),
        ("last_seen:<-3d", [Age(False, "last_seen", False, 3, "d")]),
        ("transaction:>x", [Texts(False, "transaction", (p(">x"),))]),
    ],
)
def test_text_becomes_terms(text: str, terms: list[Term]) -> None:
    assert parse(text) == Search(tuple(terms))


@each(
    "text",
    [
        "std::vector::at",
        "ActiveRecord::RecordNotFound",
        "https://shop.example/cart",
        r"C:\shop\cart.py",
        "KeyError:",
        "(a.b)",
        "a=b",
        "'discount'",
        "!",
    ],
)
def test_what_people_paste_from_an_error_is_a_word(text: str) -> None:
    assert parse(text).terms == (Words(False, Pattern.exact(text)),)


def test_a_star_is_anything_unless_a_backslash_stands_before_it() -> None:
    (term,) = parse(r'url:"a*b\*c\"d\\e\f"').of(Texts)
    assert term.patterns == (Pattern(("a", 'b*c"d\\e\\f')),)
    assert term.patterns[0].like == r'a%b*c"d\\e\\f'
    assert Pattern(("50%_", "")).like == r"50\%\_%"


@each(
    ("text", "wrong", "suggestion", "reason"),
    [
        ("is:unresolvd", "unresolvd", "unresolved", "is: use one of unresolved"),
        ("a level:eror", "eror", "error", "eror is not a value of level"),
        ('a "b c', '"b c', '"b c"', "these quotes aren't closed"),
        ("browser:[a, b", "[a, b", "[a, b]", "this list isn't closed"),
        ("browser:[]", "browser:[]", "", "the list is empty"),
        ("x browser: y", "browser:", "", "missing value"),
        ("events:many", "many", "100", "events needs a number"),
        ("events:[1, 2]", "events:[1, 2]", "", "events accepts only one value"),
        ("age:24h", "24h", "-24h", "age needs a duration"),
        ("last_seen:2026-13-45", "2026-13-45", "-24h", "last_seen needs a duration or a time"),
        ("a OR b", "OR", "", "OR isn't supported"),
        ("a AND b c", "a AND b", "a b", "remove the word"),
        ("AND b", "AND", "", "put it in quotes"),
        ("a AND", "AND", "", "put it in quotes"),
        (
            "x browser:Chrome OR browser:[Firefox, Edge] y",
            "browser:Chrome OR browser:[Firefox, Edge]",
            "browser:[Chrome, Firefox, Edge]",
            "OR isn't supported",
        ),
        ("browser:a OR os:b", "OR", "", "OR isn't supported"),
        ("browser:a OR !browser:b", "OR", "", "OR isn't supported"),
        ("events:>1 OR events:>5", "OR", "", "OR isn't supported"),
        ("events:1 OR events:5", "events:1 OR events:5", "", "OR isn't supported"),
        ("a OR OR b", "OR", "", "OR isn't supported"),
        ("a AND AND b", "AND", "", "remove the word"),
        ("age:>x", "x", "24h", "age needs a duration"),
        ("browser:[", "[", "", "this list isn't closed"),
        ('a "b \\', '"b \\', "", "these quotes aren't closed"),
        ("!is:", "!is:", "!is:unresolved", "missing value"),
        ("release:>=2.*", "release:>=2.*", "", "needs a single release"),
        ("release:>[1, 2]", "release:>[1, 2]", "", "needs a single release"),
        ("has:>x", "has:>x", "", "has no order"),
        ('logger:>"x"', 'logger:>"x"', "", "has no order"),
        ("trace:xyz", "xyz", "", "needs an ID of hexadecimal digits"),
        ("a\x00b", "\x00", "", "can't be searched"),
    ],
)
def test_a_mistake_says_where_it_is_and_what_may_be_meant(
    text: str, wrong: str, suggestion: str, reason: str
) -> None:
    with pytest.raises(SearchError) as caught:
        parse(text)
    error = caught.value
    assert text[error.position : error.end] == wrong
    assert (error.suggestion, error.code) == (suggestion, "invalid_parameter")
    assert reason in error.reason


@given(st.lists(st.sampled_from(MISTAKES), min_size=1, max_size=6))
@settings(max_examples=2_000, deadline=None, derandomize=True)
@pytest.mark.slow
def test_nothing_is_suggested_that_would_be_refused_in_the_same_place(pieces: list[str]) -> None:
    text = " ".join(pieces)
    try:
        parse(text)
    except SearchError as error:
        if not error.suggestion:
            return
        corrected = text[: error.position] + error.suggestion + text[error.end :]
        assert error.suggestion != text[error.position : error.end]
        try:
            parse(corrected)
        except SearchError as next_error:
            assert next_error.position >= error.position + len(error.suggestion)


def test_too_much_is_refused() -> None:
    for text in ("x" * 2001, "x " * 41, "plan:" + "x" * 501, f"a:[{','.join('x' * 101)}]"):
        with pytest.raises(SearchError):
            parse(text)
    assert len(parse("x " * 40).terms) == 40


WORDLIKE = st.text(st.sampled_from('ab2.*\\"[]:,!<>=-@é '), max_size=8)
PIECES = st.one_of(
    st.text(max_size=12),
    WORDLIKE,
    st.builds("{}:{}".format, st.sampled_from([key.name for key in KEYS] + ["plan", "tags[x]"]), WORDLIKE),
    st.builds("!{}:[{}, {}]".format, st.sampled_from([key.name for key in KEYS]), WORDLIKE, WORDLIKE),
    st.sampled_from(
        ["is:unresolved", "release:>=2.1", "age:-3d", "events:>2", "last_seen:>2026-11-01T10:00"]
    ),
)


@given(st.lists(PIECES, max_size=5).map(" ".join))
@example("!release:[, :]")
def test_any_text_is_a_search_or_a_mistake_and_a_search_can_be_written_again(text: str) -> None:
    try:
        search = parse(text)
    except SearchError as error:
        assert 0 <= error.position <= error.end <= len(text)
        return
    assert parse(str(search)) == search
