"""Real items, captured from real SDKs, as the ingest's own item objects."""

import gzip
import json
from base64 import b64decode
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from api.ingest.item import Item
from api.ingest.recording import opened

DATA = Path(__file__).parent / "data"
CAPTURED_UNTIL = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
GENERATIONS = ("v11", "v10", "v9", "v8")


def envelopes(generation: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / "browser" / f"envelopes_{generation}.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def browser_items(
    generation: str, by: timedelta = timedelta(0), kinds: Collection[str] = ()
) -> Iterator[Item]:
    """Items in order of arrival, but errors; moved in time, and only some types, where that is asked for."""
    for envelope in envelopes(generation):
        for sent in envelope["items"]:
            item_type = sent["headers"]["type"]
            if item_type in kinds if kinds else item_type not in ("event", "client_report"):
                headers = {**sent["headers"], "event_id": envelope["headers"].get("event_id")}
                yield an_item(
                    item_type,
                    moved(sent.get("payload") or {}, by) if by else sent.get("payload") or {},
                    headers=headers,
                    binary=b64decode(sent.get("payload_b64") or ""),
                )


def truth() -> list[dict[str, Any]]:
    """The browser's own numbers, an object per page load."""
    with gzip.open(DATA / "browser" / "truth.json.gz", "rt") as file:
        loads: list[dict[str, Any]] = json.load(file)
        return loads


def payloads(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)


def an_item(
    item_type: str,
    payload: dict[str, Any],
    *,
    project_id: int = 1,
    headers: dict[str, Any] | None = None,
    binary: bytes = b"",
    logged_at: datetime | None = None,
) -> Item:
    return Item(
        project_id,
        "",
        item_type,
        headers or {},
        payload,
        opened(binary) if binary else None,
        logged_at,
        binary or json.dumps(payload).encode(),
    )


def moved(payload: Any, by: timedelta) -> Any:
    """The payload with each moment of the day of capture moved, be it unix seconds or ISO 8601."""
    if isinstance(payload, dict):
        return {name: moved(value, by) for name, value in payload.items()}
    if isinstance(payload, list):
        return [moved(value, by) for value in payload]
    if isinstance(payload, float) and 1.79e9 < payload < 1.80e9:
        return payload + by.total_seconds()
    if isinstance(payload, str) and payload.startswith("2026-11-21T"):
        return (datetime.fromisoformat(payload) + by).isoformat()
    return payload


def moved_to(now: datetime) -> timedelta:
    """From the end of the captures to the moment given, in whole seconds."""
    return timedelta(seconds=int((now - CAPTURED_UNTIL).total_seconds()))
