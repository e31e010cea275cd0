"""What a seed is cooked in: its lines, its chance, and what ingredients need to know."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.flow.poison.line import Line
from tests.flow.poison.originals import moved, moved_to, originals

TYPES = ("event", "transaction", "span", "session", "replay_event", "replay_recording", "client_report")
WEIGHTS = (6, 4, 4, 2, 1, 1, 1)
TIMES = ("timestamp", "start", "logged_at")


@dataclass
class Pot:
    """`app_keys`: the first is that of the batch's project, then another of ours, then a neighbor's.

    `foreign`: ids of events, traces and spans that the neighbor has.
    """

    chance: random.Random
    now: datetime
    app_keys: tuple[str, ...]
    foreign: tuple[str, ...] = ()
    lines: list[Line] = field(default_factory=list)

    def of_type(self, *types: str) -> list[Line]:
        return [line for line in self.lines if line.type in types and line.instead is None]

    def some(self, lines: list[Line], most: int = 6) -> list[Line]:
        return self.chance.sample(lines, min(len(lines), self.chance.randrange(1, most + 1)))

    def add(self, type_: str, payload: dict[str, Any], **outer: Any) -> Line:
        line = Line({"type": type_, "logged_at": self.now.isoformat(), "payload": payload} | outer)
        self.lines.append(line)
        return line

    def hex(self, digits: int = 32) -> str:
        return f"{self.chance.getrandbits(4 * digits):0{digits}x}"

    def fill(self, count: int) -> None:
        """With what SDKs sent, within the last half hour, under ids of its own."""
        for type_ in self.chance.choices(TYPES, WEIGHTS, k=count):
            self.lines.append(self._original(type_))

    def _original(self, type_: str) -> Line:
        now = self.now - timedelta(seconds=self.chance.randrange(1_800))
        item = moved(json.loads(self.chance.choice(originals()[type_])), moved_to(now))
        payload = item.get("payload")
        if isinstance(payload, dict) and "event_id" in payload:
            payload["event_id"] = self.hex()
        return Line({**item, "logged_at": now.isoformat()})


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container within, with each key of it, outermost first; not the moments."""
    if isinstance(value, dict):
        keys: list[Any] = [key for key in value if not str(key).startswith(TIMES)]
    elif isinstance(value, list):
        keys = list(range(len(value)))
    else:
        return
    for key in keys:
        yield value, key
        yield from leaves(value[key])


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from objects(each)
