"""A tag as a term of the issue list's language."""

import re
from urllib.parse import quote

from errata.search.keys import BY_NAME

# Tags that stand in a column of their own, under the same word as in the language.
OUR_TAGS = frozenset(
    {
        *("environment", "release", "service", "server_name", "browser", "os", "device"),
        *("level", "transaction", "logger"),
    }
)
PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")
PLAIN_VALUE = re.compile(r"[\w.@/+-]+")


def tag_term(name: str, value: str) -> str:
    """`browser:Chrome`, `plan:"for teams"`, `tags[a b]:c`; empty where the language has no way to say it."""
    if not value or "[" in name or "]" in name:
        return ""
    if not name.strip():
        return ""
    is_word = PLAIN_NAME.fullmatch(name) and (name in OUR_TAGS or name not in BY_NAME)
    return f"{name if is_word else f'tags[{name}]'}:{_value(value)}"


def tag_address(issues_address: str, name: str, value: str) -> str:
    """The list of issues with this tag; empty where there is none."""
    term = tag_term(name, value)
    if not issues_address or not term:
        return ""
    return f"{issues_address}?query={quote(term, safe='', errors='replace')}"


def _value(value: str) -> str:
    if PLAIN_VALUE.fullmatch(value):
        return value
    marked = value.replace("\\", "\\\\").replace('"', '\\"').replace("*", "\\*")
    return f'"{marked}"'
