"""Text cut into terms: what stands before and after each colon, and where."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from errata.search.error import SearchError
from errata.search.pattern import Pattern

KEY = re.compile(r"tags\[(?P<tag>[^\[\]]+)\](?=:)|(?P<key>[^\W\d][\w.\-]*)(?=:)")
OPERATOR = re.compile(r">=|<=|>|<|=")
# What follows a key's colon in text that is no term: `std::move`, `https://…`, `C:\…`.
NO_VALUE = (":", "//", "\\")
END_OF_WORD = re.compile(r"\s|\Z")
END_OF_LISTED = re.compile(r"[\s,\]]|\Z")


@dataclass(frozen=True)
class Value:
    """`is_quoted`: it stands in quotes, so that nothing in it is an operator."""

    pattern: Pattern
    start: int
    end: int
    is_quoted: bool


@dataclass(frozen=True)
class Token:
    """`key` empty: words. `is_tag`: the key was written as `tags[key]`."""

    start: int
    end: int
    is_negated: bool
    key: str
    is_tag: bool
    operator: str
    values: tuple[Value, ...]
    is_list: bool = False


def tokens(text: str) -> Iterator[Token]:
    """Raises SearchError where quotes or a list are left open."""
    place = _after_space(text, 0)
    while place < len(text):
        token = _token(text, place)
        yield token
        place = _after_space(text, token.end)


def _token(text: str, start: int) -> Token:
    place = start
    is_negated = text[place] == "!" and END_OF_WORD.match(text, place + 1) is None
    place += is_negated
    match = KEY.match(text, place)
    if match is None or text.startswith(NO_VALUE, match.end() + 1):
        value = _value(text, place, END_OF_WORD)
        return Token(start, value.end, is_negated, "", False, "", (value,))
    key, is_tag = match["tag"] or match["key"], match["tag"] is not None
    place = match.end() + 1
    operator = OPERATOR.match(text, place)
    place = operator.end() if operator else place
    written = operator[0] if operator else ""
    if text.startswith("[", place):
        values, end = _list(text, place)
        return Token(start, end, is_negated, key, is_tag, written, values, is_list=True)
    if END_OF_WORD.match(text, place):
        return Token(start, place, is_negated, key, is_tag, written, ())
    value = _value(text, place, END_OF_WORD)
    return Token(start, value.end, is_negated, key, is_tag, written, (value,))


def _list(text: str, start: int) -> tuple[tuple[Value, ...], int]:
    values: list[Value] = []
    place = _after_space(text, start + 1)
    while place < len(text):
        if text[place] == "]":
            return tuple(values), place + 1
        if text[place] == ",":
            place = _after_space(text, place + 1)
            continue
        value = _value(text, place, END_OF_LISTED)
        values.append(value)
        place = _after_space(text, value.end)
    raise SearchError("this list isn't closed", start, len(text), f"{text[start:].rstrip(', ')}]")


def _value(text: str, start: int, end_of_bare: re.Pattern[str]) -> Value:
    if text[start] != '"':
        match = end_of_bare.search(text, start)
        assert match is not None
        return Value(_pattern(text[start : match.start()]), start, match.start(), False)
    place = start + 1
    while place < len(text):
        if text[place] == '"':
            return Value(_pattern(text[start + 1 : place]), start, place + 1, True)
        place += 2 if text[place] == "\\" else 1
    raise SearchError("these quotes aren't closed", start, len(text), f'{text[start:]}"')


def _pattern(text: str) -> Pattern:
    """A backslash marks a quote, a star or itself; before anything else it is a backslash."""
    parts, part, place = list[str](), list[str](), 0
    while place < len(text):
        if text[place] == "\\" and text[place + 1 : place + 2] in ('"', "*", "\\"):
            part.append(text[place + 1])
            place += 1
        elif text[place] == "*":
            parts.append("".join(part))
            part = []
        else:
            part.append(text[place])
        place += 1
    return Pattern((*parts, "".join(part)))


def _after_space(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
