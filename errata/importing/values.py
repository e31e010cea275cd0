"""Values of a foreign JSON document, whatever they are."""

from collections.abc import Mapping
from typing import Any


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; anything else in it is left out."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without fields that are null or empty: Sentry returns every field that it knows."""
    return {name: value for name, value in values.items() if value is not None and value not in ("", [], {})}
