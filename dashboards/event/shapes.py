"""Values of a payload of any shape: a wrong shape reads as an empty one, never as an error."""

import json
import math
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Words and numbers as they are, true and false as JSON says them, anything nested as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    if isinstance(value, str) and len(value) < 19 and value.strip().isascii() and value.strip().isdigit():
        return int(value)
    return None


def pairs(value: object) -> list[tuple[str, Any]]:
    """Headers, tags and parameters come as an object or as a list of pairs."""
    if isinstance(value, dict):
        return [(text(key), item) for key, item in value.items()]
    return [(text(item[0]), item[1]) for item in sequence(value) if isinstance(item, list) and len(item) == 2]


def values(value: object) -> list[Any]:
    """The protocol's lists come bare or as {"values": [...]}."""
    return sequence(value.get("values")) if isinstance(value, dict) else sequence(value)


def moment(value: object) -> datetime | None:
    """A timestamp of the protocol: seconds since 1970, or ISO 8601 (UTC where it names no zone)."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value.strip())
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        pass
    return None


def first_text(*candidates: object) -> str:
    return next(filter(None, map(text, _known(candidates))), "")


def _known(candidates: Iterable[object]) -> Iterable[object]:
    return (candidate for candidate in candidates if not isinstance(candidate, dict | list))
