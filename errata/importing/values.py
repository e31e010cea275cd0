"""Values of a foreign JSON document, whatever they are."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from errata.one_line import is_one_line

LONGEST_SHOWN = 200


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; anything else in it is left out."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def one_line(value: object) -> str:
    """A text that a terminal shows as it is: without control characters and halves of characters."""
    shown = "".join(character if is_one_line(character) else " " for character in text(value)[:LONGEST_SHOWN])
    return " ".join(shown.split())


def number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def moment_of(value: object) -> datetime | None:
    """Of a text in ISO 8601; without a zone, it is UTC."""
    try:
        moment = datetime.fromisoformat(text(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without fields that are null or empty: Sentry returns every field that it knows."""
    return {name: value for name, value in values.items() if value is not None and value not in ("", [], {})}
