"""How many of the values real SDKs sent are filtered that hold no secret, and at which places: of those
captured in tests/data, and in each of the folders named."""

import base64
import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from bench.figures import figure
from errata.scrubbing import in_our_words, scrubbed
from tests.sdk_events import RECORDED, received

DATA = Path(__file__).parents[1] / "tests" / "data"

_encode = msgspec.json.Encoder().encode


def main() -> None:
    for directory in [DATA, *map(Path, sys.argv[1:])]:
        values: Counter[str] = Counter()
        filtered: Counter[str] = Counter()
        for item_type, payload in _items(directory):
            sent = in_our_words(_encode(payload))
            for path, value, stored in changes(json.loads(sent), json.loads(scrubbed(sent))):
                values[item_type] += 1
                if value != stored:
                    filtered[item_type + path] += 1
        figure(
            "harmless_values_filtered",
            filtered.total() / values.total(),
            f"of all values in {directory.name}",
            values=values.total(),
            filtered=filtered.total(),
            of=dict(values),
            places=dict(filtered.most_common()),
        )


def _items(directory: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Types and payloads of the items of lines and envelopes, and each event of a recording."""
    for file in sorted(directory.rglob("*.jsonl*")):
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
            for line in map(json.loads, lines):
                for sent in line.get("items") or [line]:
                    payload = sent.get("payload") or sent.get("event") or sent
                    item_type = sent.get("headers", {}).get("type") or payload.get("type") or "event"
                    if recorded := sent.get("payload_b64"):
                        yield from (("recording", event) for event in _events(base64.b64decode(recorded)))
                    elif isinstance(payload, dict):
                        yield str(item_type), payload
    if directory == DATA:
        yield from (("event", received(path)) for path in RECORDED.values())


def _events(recording: bytes) -> list[dict[str, Any]]:
    _, _, events = recording.partition(b"\n")
    found: list[dict[str, Any]] = json.loads(events if events[:1] == b"[" else zlib.decompress(events))
    return found


def changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each value of a payload with its place, and what is stored of it."""
    if isinstance(before, dict):
        for name, value in before.items():
            stored = after.get(name, None) if isinstance(after, dict) else after
            yield from changes(value, stored, f"{path}.{name}")
    elif isinstance(before, list):
        for number, value in enumerate(before):
            stored = after[number] if isinstance(after, list) and number < len(after) else after
            yield from changes(value, stored, path)
    else:
        yield path, before, after


if __name__ == "__main__":
    main()
