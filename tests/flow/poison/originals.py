"""What real SDKs sent: the items that are mutated."""

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "data"
CAPTURED_UNTIL = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
GENERATIONS = ("v11", "v10", "v9", "v8")
SMALL_BYTES = 60_000


@cache
def originals() -> dict[str, tuple[str, ...]]:
    """By type; each an item as JSON, so that nobody changes it for another."""
    found: dict[str, list[str]] = {}
    for item in _items():
        text = json.dumps(item)
        if len(text) < SMALL_BYTES:
            found.setdefault(item["type"], []).append(text)
    return {name: tuple(texts) for name, texts in found.items()}


def _items() -> Iterator[dict[str, Any]]:
    for name in ("python_errors", "javascript_errors", "browser_error_events"):
        for payload in _lines(DATA / f"{name}.jsonl.gz"):
            yield {"type": "event", "payload": payload}
    for payload in _lines(DATA / "python_transactions.jsonl.gz"):
        yield {"type": "transaction", "payload": payload}
    for generation in GENERATIONS:
        for envelope in _lines(DATA / "browser" / f"envelopes_{generation}.jsonl.gz"):
            for sent in envelope["items"]:
                yield _sent(sent, envelope["headers"].get("event_id"))


def _sent(sent: dict[str, Any], event_id: str | None) -> dict[str, Any]:
    item = {"type": sent["headers"]["type"], "headers": {**sent["headers"], "event_id": event_id}}
    if sent.get("payload_b64"):
        return {**item, "payload_b64": sent["payload_b64"]}
    return {**item, "payload": sent.get("payload") or {}}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt") as lines:
        yield from map(json.loads, lines)


def moved(value: Any, by: timedelta) -> Any:
    """With each moment of the day of capture moved, be it unix seconds or ISO 8601."""
    if isinstance(value, dict):
        return {name: moved(each, by) for name, each in value.items()}
    if isinstance(value, list):
        return [moved(each, by) for each in value]
    if isinstance(value, float) and 1.79e9 < value < 1.80e9:
        return value + by.total_seconds()
    if isinstance(value, str) and value.startswith("2026-11-21T"):
        return (datetime.fromisoformat(value) + by).isoformat()
    return value


def moved_to(now: datetime) -> timedelta:
    """From the end of the captures to the moment given."""
    return timedelta(seconds=int((now - CAPTURED_UNTIL).total_seconds()))
