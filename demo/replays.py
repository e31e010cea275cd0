"""A captured replay, sent again with other moments, ids and visitors."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from errata_sdk.line import binary_line_of

from demo.stencil import Copy, Stencil, renamed


@dataclass(frozen=True)
class Segment:
    """`recorded`: the page's events as rrweb made them, with moments in milliseconds since 1970."""

    event: Stencil
    number: int
    recorded: Sequence[Mapping[str, Any]]


class Replay:
    def __init__(self, replay_id: str, segments: Sequence[Mapping[str, Any]], starts: float) -> None:
        """`starts`: when the error was, in seconds since 1970; copies are moved from there."""
        self.replay_id = replay_id
        self.starts = starts
        self.segments = [
            Segment(
                Stencil("replay_event", {}, each["event"], starts, has_replay=True),
                each["event"]["segment_id"],
                renamed(each["recorded"]),
            )
            for each in segments
        ]

    def lines(self, copy: Copy, app_key: str, random: Random, logged_after: timedelta) -> Iterator[bytes]:
        """After the lines of the error of this copy, whose ids it shares."""
        shift_s = copy.at.timestamp() - self.starts
        headers = {"event_id": json.loads(copy.ids[self.replay_id])}
        for segment in self.segments:
            yield segment.event.line(copy, app_key, random, logged_after)
            recorded = json.dumps(_moved(segment.recorded, shift_s), separators=(",", ":")).encode()
            body = b'{"segment_id":%d}\n' % segment.number + zlib.compress(recorded)
            now = (copy.at + logged_after).timestamp()
            yield binary_line_of("replay_recording", app_key, headers, body, now=now)


def _moved(value: Any, shift_s: float) -> Any:
    """Moments of rrweb's own events are in milliseconds, those the SDK put among them in seconds."""
    if isinstance(value, Mapping):
        return {name: _moved(inner, shift_s) for name, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner, shift_s) for inner in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if 1.7e9 < value < 2e9:
        return value + shift_s
    return round(value + 1000 * shift_s) if 1.7e12 < value < 2e12 else value
