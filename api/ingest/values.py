"""Values of a payload of unknown shape: each function returns its type or its empty value."""

import math
from datetime import datetime
from hashlib import blake2b
from typing import Any

from errata_wire.secret_text import FILTERED

NIL = "00000000000000000000000000000000"
HEX = frozenset("0123456789abcdef")
# Identifiers that identify nobody: an address left to be filled in, and what was filtered.
UNKNOWN = frozenset({"", "{{auto}}", FILTERED})


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def text(value: Any, limit: int = 200) -> str:
    return value[:limit] if isinstance(value, str) else ""


def label(value: Any, limit: int = 200) -> str:
    """Text, or a number as text."""
    if isinstance(value, str):
        return value[:limit]
    return str(value)[:limit] if isinstance(value, int | float) and not isinstance(value, bool) else ""


def number(value: Any) -> float | None:
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is int:
        return float(value) if -(1 << 63) < value < 1 << 63 else None
    return None


def amount(value: Any) -> float | None:
    """A number as sent, None if none was; other values are `nan`, which is within no bounds."""
    if value is None:
        return None
    found = number(value)
    # The addition turns minus zero into zero.
    return math.nan if found is None else found + 0.0


def whole(value: Any) -> int:
    """A count of bytes, sessions or errors; 0: none was sent, -1: not a number, which is out of bounds."""
    if value is None:
        return 0
    found = number(value)
    return -1 if found is None else int(found)


def status_code(value: Any) -> int:
    """An HTTP status, also if it is sent as text; 0: none, -1: not a status, which is out of bounds."""
    if isinstance(value, str):
        value = int(value) if len(value) == 3 and value.isascii() and value.isdecimal() else 0
    if value is None or value == 0:
        return 0
    return value if type(value) is int and 100 <= value <= 999 else -1


def span_number(value: Any) -> int:
    """A span id (16 hexadecimal digits) as a number; 0: none."""
    if isinstance(value, str) and len(value) == 16:
        try:
            return int.from_bytes(bytes.fromhex(value), "big")
        except ValueError:
            return 0
    return 0


def identifier(value: Any) -> str:
    """A 128-bit id as 32 hexadecimal digits; nil if there is none; a hash of an id of another form."""
    if not isinstance(value, str) or not value:
        return NIL
    digits = value.replace("-", "").lower()
    return digits if len(digits) == 32 and HEX.issuperset(digits) else row_id(value)


def row_id(*parts: object) -> str:
    """The 128-bit hash that identifies a row, as 32 hexadecimal digits."""
    return hash128("\x00".join(map(str, parts)))


def hash128(content: str) -> str:
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def number_of(row_id: str) -> int:
    """The first half of a 128-bit id, for columns of 64 bits."""
    return int(row_id[:16], 16) or 1


def user_hash(user_id: Any, email: Any, name: Any, address: Any) -> int:
    """The hash of the first known identifier of an event, page load or session; 0: nobody is identified.

    The address is last, since visitors behind one proxy share it.
    """
    for kind, value, limit in (
        ("user_id", user_id, 200),
        ("user_email", email, 200),
        ("user_name", name, 200),
        ("user_ip", address, 64),
    ):
        known = label(value, limit)
        if known not in UNKNOWN:
            identity = f"{kind}:{known}".encode("utf-8", "surrogatepass")
            return int.from_bytes(blake2b(identity, digest_size=8).digest(), "big") or 1
    return 0


def warehouse_time(moment: datetime) -> str:
    """The moment in ClickHouse's text form of DateTime64(3, 'UTC')."""
    return moment.replace(tzinfo=None).isoformat(" ", "milliseconds")
