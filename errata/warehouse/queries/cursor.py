"""Cursors: the place after the last row of a page, opaque, not secret, and refused if malformed."""

import base64
import binascii

from errata.errors import InvalidParameter


def cursor_text(*values: str | int) -> str:
    text = ":".join(str(value) for value in values)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def cursor_values(cursor: str, count: int) -> list[str]:
    """The values of a cursor; the caller checks the type of each."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values = base64.b64decode(padded, altchars=b"-_", validate=True).decode().split(":")
    except (binascii.Error, UnicodeDecodeError, ValueError) as error:
        raise unknown_cursor() from error
    if len(values) != count:
        raise unknown_cursor()
    return values


def unknown_cursor() -> InvalidParameter:
    return InvalidParameter("cursor", "unknown cursor; use next_cursor of the previous page")
