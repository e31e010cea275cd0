"""What was in a log file that had to go before it was delivered."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sentry_sdk.envelope import Item

from errata_sdk.discards import reported

# The words of the Sentry protocol for a full offline cache.
CACHE_OVERFLOW = "cache_overflow"
_CHUNK_BYTES = 256 << 10
# The beginning of a line as this SDK and the shipper's intake write it, where that says all there is to know.
_PLAIN = re.compile(rb'\{"type": ?"(event|transaction|session|check_in)", ?"app_key": ?"([\w.-]*)"')

# Application key, reason and category.
LostItem = tuple[str, str, str]


def lost_items(descriptor: int, offset: int) -> Counter[LostItem]:
    """The items from an offset on; a line that was cut off is none."""
    lost: Counter[LostItem] = Counter()
    for line in _lines(descriptor, offset):
        for item, quantity in _items_of(line):
            lost[item] += quantity
    return lost


def _lines(descriptor: int, offset: int) -> Iterator[bytes]:
    with open(os.dup(descriptor), "rb", buffering=_CHUNK_BYTES) as file:  # noqa: PTH123 (a descriptor)
        file.seek(offset)
        for line in file:
            if line.endswith(b"\n") and line.strip():
                yield line


def _items_of(line: bytes) -> Iterator[tuple[LostItem, int]]:
    plain = _PLAIN.match(line)
    if plain is not None:
        yield (plain[2].decode(), CACHE_OVERFLOW, _category(plain[1].decode())), 1
        return
    try:
        item: Any = json.loads(line)
        app_key, item_type = str(item.get("app_key") or ""), str(item["type"])
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return
    if item_type == "client_report":
        # What it told of would be forgotten with it.
        for (category, reason), quantity in reported(item.get("payload")):
            yield (app_key, reason, category), quantity
        return
    headers = item.get("headers")
    count = headers.get("item_count") if isinstance(headers, dict) else None
    yield (app_key, CACHE_OVERFLOW, _category(item_type)), count if type(count) is int else 1


@lru_cache(maxsize=64)
def _category(item_type: str) -> str:
    return Item(payload=b"", type=item_type).data_category
