"""The name of the function around a place in JavaScript or TypeScript source.

Minifiers drop the names of function expressions that nobody calls by name, so that a map cannot know them.
"""

import re
from collections.abc import Sequence

_STRING = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`", re.S)
_NAME = r"(?P<name>[A-Za-z_$][\w$]*)"
# What stands before the brace of a function's body, or before an arrow's expression.
_PARAMETERS = r"\([^()]*(?:\([^()]*\)[^()]*)*\)"
_TYPE = r"(?::[^=;(){},]{0,200})?"
_HEADS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bfunction\s*\*?\s*{_NAME}\s*(?:<[^<>]*>)?{_PARAMETERS}[^(){{}};]*$",
        rf"{_NAME}{_TYPE}\s*=\s*(?:async\s+)?function\s*\*?\s*{_PARAMETERS}[^(){{}};]*$",
        rf"{_NAME}{_TYPE}\s*=\s*(?:async\s+)?(?:{_PARAMETERS}[^=(){{}};]*|[\w$]+)\s*=>\s*$",
        rf"{_NAME}\s*:\s*(?:async\s+)?(?:function\s*\*?\s*{_PARAMETERS}|(?:{_PARAMETERS}|[\w$]+)\s*=>)\s*$",
        rf"(?:^|[;{{}},\n])\s*(?:(?:static|async|get|set|public|private|protected)\s+)*[*#]?{_NAME}\s*"
        rf"{_PARAMETERS}[^(){{}};=]*$",
    )
)
_NAMELESS = re.compile(r"(?:=>|\bfunction\s*\*?\s*\([^()]*(?:\([^()]*\)[^()]*)*\)[^(){};]*)\s*$")
_KEYWORDS = frozenset(
    {"if", "for", "while", "switch", "catch", "with", "return", "function", "do", "else", "try"}
)
LONGEST = 20_000
LONGEST_HEAD = 400
MOST_LEVELS = 40


def function_around(before: Sequence[str], line: str, column: int) -> str:
    """The innermost function's name; empty where it has none or is out of sight. `column` counts from 1."""
    text = ("".join(before) + line[: column - 1])[-LONGEST:]
    text = _STRING.sub(lambda found: " " * len(found[0]), text)
    depth, level, is_separated = 0, 0, False
    for place in range(len(text) - 1, -1, -1):
        letter = text[place]
        if letter in ")]}":
            depth += 1
        elif letter in "([{":
            if depth:
                depth -= 1
                continue
            is_separated = False
            level += 1
            if level > MOST_LEVELS:
                return ""
            if letter == "{":
                name = _name_before(text[:place].rstrip())
                if name is not None:
                    return name
        elif letter in ",;" and not depth:
            is_separated = True
        elif letter == ">" and not depth and not is_separated and text[place - 1 : place] == "=":
            name = _name_before(text[: place + 1])
            if name is not None:
                return name
    return ""


def is_definition(line: str, name: str) -> bool:
    """Whether a line of source seems to define a function of that name. A minified name may be that of any
    variable."""
    return name in line[:LONGEST] and bool(
        re.search(
            rf"\bfunction\s*\*?\s*{(own := re.escape(name))}(?![\w$])"
            rf"|(?<![\w$.]){own}\s*[=:]\s*(?:async\b\s*)?(?:function\b|\(|[\w$]+\s*=>)"
            rf"|^\s*(?:(?:static|async|get|set|public|private|protected)\s+)*[*#]?{own}\s*\([^()]*\)\s*\{{",
            line[:LONGEST],
        )
    )


def _name_before(head: str) -> str | None:
    """The name of the function whose body begins after `head`; empty: it has none; None: no function."""
    head = head[-LONGEST_HEAD:]
    for pattern in _HEADS:
        found = pattern.search(head)
        if found and found["name"] not in _KEYWORDS:
            return found["name"]
    return "" if _NAMELESS.search(head) else None
