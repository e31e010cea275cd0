"""Text on one line, as names of budgets, rules and projects are: without control characters."""

import re

from errata.errors import InvalidParameter

# Control characters, line and paragraph separators, and marks that turn the direction of writing. Not by what
# Unicode calls a letter: its versions differ, and who reads JSON Schema may have another than Python.
_NONE_OF = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"
_SPACES = r" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
ONE_LINE = f"^[^{_NONE_OF}]*$"
"""For JSON Schema."""
NAME = f"^[^{_NONE_OF}]*[^{_NONE_OF}{_SPACES}][^{_NONE_OF}]*$"
"""The same, with something to see in it."""
_HALF_CHARACTER = r"\ud800-\udfff"
_one_line = re.compile(f"[^{_NONE_OF}{_HALF_CHARACTER}]*")


def is_one_line(text: str) -> bool:
    return _one_line.fullmatch(text) is not None


def checked_name(given: str, longest: int) -> str:
    """The name without spaces around it; raises InvalidParameter."""
    name = given.strip()
    if not 0 < len(name) <= longest or not is_one_line(name):
        raise InvalidParameter("name", f"1 to {longest} characters on one line")
    return name
