"""Page loads captured in a real browser, posted again as if they happened now."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "captured_page_loads.jsonl.gz"

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_ID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{16}")
# Seconds since 1970 in these years; no other number of a page load is as large.
_SECONDS = range(1_700_000_000, 2_000_000_000)


def envelopes() -> Iterator[dict[str, Any]]:
    with gzip.open(FILE, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def loads() -> Iterator[dict[str, Any]]:
    """Without errors, which are not of the shop's own scripts."""
    for envelope in envelopes():
        if all(item["headers"]["type"] != "event" for item in envelope["items"]):
            yield envelope


def sent_at(envelope: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(envelope["headers"]["sent_at"])


def text_of(envelope: dict[str, Any]) -> str:
    return json.dumps(envelope["items"])


def body(envelope: dict[str, Any], shift: timedelta, round_: str) -> bytes:
    """An envelope as a browser sends it, later by `shift`, with ids of its own for each round."""
    lines = [envelope["headers"]]
    for item in envelope["items"]:
        lines += [item["headers"], item["payload"]]
    return b"\n".join(json.dumps(moved(line, shift, round_)).encode() for line in lines)


def moved(value: Any, shift: timedelta, round_: str) -> Any:
    """A payload with its moments shifted and its ids replaced, the same id by the same in one round."""
    if isinstance(value, dict):
        return {key: moved(inner, shift, round_) for key, inner in value.items()}
    if isinstance(value, list):
        return [moved(inner, shift, round_) for inner in value]
    if isinstance(value, float | int) and int(value) in _SECONDS:
        return value + shift.total_seconds()
    return _moved_text(value, shift, round_) if isinstance(value, str) else value


def _moved_text(text: str, shift: timedelta, round_: str) -> str:
    if _MOMENT.fullmatch(text):
        moved = (datetime.fromisoformat(text) + shift).astimezone(UTC)
        return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if _ID.fullmatch(text):
        return hashlib.blake2b((round_ + text).encode(), digest_size=len(text) // 2).hexdigest()
    return text
