"""Where in a search somebody types: before a colon, after it, and what stands there so far."""

import re
from dataclasses import dataclass

from errata.search.tokens import KEY, OPERATOR

END_OF_VALUE = re.compile(r"[\s,\]]|\Z")


@dataclass(frozen=True)
class Spot:
    """`typed` stands between `start` and the cursor; what is chosen replaces all up to `end`.

    `key` is empty where a key or a word is typed.
    """

    key: str
    is_tag: bool
    typed: str
    start: int
    end: int
    is_in_list: bool = False


def spot(text: str, cursor: int) -> Spot:
    cursor = max(0, min(cursor, len(text)))
    start = _start_of_term(text, cursor)
    place = start + text.startswith("!", start)
    match = KEY.match(text, place)
    if match is None or match.end() >= cursor:
        end = END_OF_VALUE.search(text, cursor)
        assert end is not None
        # A key that is typed anew takes the colon after it along.
        return Spot("", False, text[place:cursor], place, match.end() + 1 if match else end.start())
    return _in_value(text, cursor, match)


def _in_value(text: str, cursor: int, match: re.Match[str]) -> Spot:
    key, is_tag = match["tag"] or match["key"], match["tag"] is not None
    place = match.end() + 1
    operator = OPERATOR.match(text, place)
    place = min(operator.end() if operator else place, cursor)
    is_in_list = text.startswith("[", place) and place < cursor
    if is_in_list:
        place += 1 + _start_of_listed(text[place + 1 : cursor])
    typed = text[place:cursor].removeprefix('"')
    is_quoted = text.startswith('"', place)
    closing = text.find('"', cursor) if is_quoted else -1
    end = END_OF_VALUE.search(text, cursor)
    assert end is not None
    stop = closing + 1 if closing >= 0 else len(text) if is_quoted else end.start()
    return Spot(key, is_tag, typed, place, stop, is_in_list)


def _start_of_term(text: str, cursor: int) -> int:
    """After the last space that stands outside quotes and lists."""
    start, is_quoted, is_list = 0, False, False
    for place in range(cursor):
        sign = text[place]
        if sign == '"' and (place == 0 or text[place - 1] in ' \t\n:,[!=<>"' or is_quoted):
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif sign == "[" and place and text[place - 1] in ":=":
            is_list = True
        elif sign == "]":
            is_list = False
        elif sign.isspace() and not is_list:
            start = place + 1
    return start


def _start_of_listed(text: str) -> int:
    start, is_quoted = 0, False
    for place, sign in enumerate(text):
        if sign == '"':
            is_quoted = not is_quoted
        elif sign == "," and not is_quoted:
            start = place + 1
    while start < len(text) and text[start].isspace():
        start += 1
    return start
