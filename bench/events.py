"""Real captured events, repeated with other ids and times."""

import gzip
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"


def captured(name: str = "python_errors.jsonl.gz") -> list[dict[str, Any]]:
    with gzip.open(DATA / name) as lines:
        return [json.loads(line) for line in lines]


def repeated(count: int, seed: int = 1, distinct_variants: int = 0) -> Iterator[bytes]:
    """`count` item lines; with `distinct_variants`, that many other functions stand on top of the stacks."""
    chance = random.Random(seed)
    originals = captured()
    now = datetime.now(UTC)
    for number in range(count):
        position = number % distinct_variants if distinct_variants else number
        payload = dict(originals[position % len(originals)])
        payload["event_id"] = UUID(int=chance.getrandbits(128), version=4).hex
        moment = now - timedelta(seconds=chance.randrange(3_000))
        payload["timestamp"] = moment.isoformat()
        if distinct_variants:
            payload = _with_another_top_frame(payload, position)
        item = {"type": "event", "logged_at": moment.isoformat(), "payload": payload}
        yield json.dumps(item, separators=(",", ":")).encode() + b"\n"


def _with_another_top_frame(payload: dict[str, Any], number: int) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(payload))
    frames = copy["exception"]["values"][-1].get("stacktrace", {}).get("frames")
    if frames:
        frames[-1]["function"] = f"{frames[-1]['function']}_{_word(number)}"
        frames[-1]["module"] = f"shop.{_word(number)}"
    return copy


def _word(number: int) -> str:
    letters = ""
    while True:
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[digit]
        if not number:
            return letters


def batches(lines: Iterator[bytes], size: int) -> Iterator[bytes]:
    gathered: list[bytes] = []
    for line in lines:
        gathered.append(line)
        if len(gathered) == size:
            yield b"".join(gathered)
            gathered = []
    if gathered:
        yield b"".join(gathered)
