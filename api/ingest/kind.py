"""What is known of a kind of items: how one is checked, opened, and made rows of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.ingest.item import Item, Rows
from errata.scrubbing import ScrubbingRules


def _nothing(_: object) -> str:
    return ""


def _none_left_out(_: Item) -> Mapping[str, int]:
    return {}


def _without_content(_: bytes, __: ScrubbingRules) -> None:
    return None


@dataclass(frozen=True)
class ItemKind:
    """`rows`: an item's, by table; never raises, whatever the payload's shape."""

    type: str
    rows: Callable[[Item, datetime], Rows]
    refused: Callable[[Mapping[str, Any]], str] = _nothing
    """By the headers of an item, the outcome that it counts as instead of being stored; empty: none."""
    problem: Callable[[dict[str, Any]], str] = _nothing
    """By its payload, why it is refused, in a sentence; empty: it is not."""
    opened: Callable[[bytes, ScrubbingRules], object] = _without_content
    """Of a payload that is no JSON, what an item has as its content, without secrets. Raises Unusable, and
    TooDeep, TooLarge and TooManySuspects of the scrubbing."""
    left_out: Callable[[Item], Mapping[str, int]] = _none_left_out
    """What of an item is not stored, by outcome."""
