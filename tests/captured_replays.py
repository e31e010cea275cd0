"""Replays captured from the real SDK in a real browser, as the lines that deliver them, with their errors."""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from tests.captures import GENERATIONS, envelopes, moved, moved_to

Event = dict[str, Any]
KINDS = frozenset({"replay_event", "replay_recording", "event"})


@dataclass
class CapturedReplay:
    """`segments`: the rrweb events of each, by its number; `errors`: payloads of error events."""

    replay_id: str
    segments: dict[int, list[Event]] = field(default_factory=dict)
    descriptions: dict[int, Event] = field(default_factory=dict)
    plain_segments: set[int] = field(default_factory=set)
    errors: list[Event] = field(default_factory=list)

    @property
    def events(self) -> list[Event]:
        """All rrweb events, in time."""
        return sorted((one for part in self.segments.values() for one in part), key=at_ms)

    @property
    def is_masked(self) -> bool:
        """As the SDK was told."""
        told = [one["data"]["payload"] for one in self.events if one["data"].get("tag") == "options"]
        return all(options["maskAllText"] for options in told)

    def lines(self) -> list[bytes]:
        """In order of arrival: errors, then each segment's description and recording."""
        lines = [_line("event", payload=error) for error in self.errors]
        for number in sorted(self.segments):
            lines.append(_line("replay_event", payload=self.descriptions[number]))
            recorded = recorded_bytes(number, self.segments[number], number in self.plain_segments)
            lines.append(recording_line(self.replay_id, recorded))
        return lines


def at_ms(event: Event) -> float:
    """When an event happened in unix ms; the SDK's own name seconds."""
    at = float(event["timestamp"])
    return at * 1000 if at < 1e11 else at


def recorded_bytes(segment_id: int, events: Sequence[Event], is_plain: bool = False) -> bytes:
    text = json.dumps(events, ensure_ascii=False, separators=(",", ":")).encode()
    return b'{"segment_id":%d}\n' % segment_id + (text if is_plain else zlib.compress(text))


def recording_line(replay_id: str, recorded: bytes, **more: Any) -> bytes:
    return _line(
        "replay_recording",
        payload_b64=base64.b64encode(recorded).decode(),
        headers={"event_id": replay_id},
        **more,
    )


def captured_replays(now: datetime) -> list[CapturedReplay]:
    """All of them, moved so that the last ended shortly before now."""
    by = moved_to(now - timedelta(minutes=2))
    return [_moved(replay, by) for replay in _captured()]


@cache
def _captured() -> tuple[CapturedReplay, ...]:
    found: dict[str, CapturedReplay] = {}
    for generation in GENERATIONS:
        for envelope in envelopes(generation):
            for item in envelope["items"]:
                if item["headers"]["type"] in KINDS:
                    _add(found, envelope["headers"], item)
    return tuple(replay for replay in found.values() if replay.segments)


def _add(found: dict[str, CapturedReplay], headers: Event, item: Event) -> None:
    kind, payload = item["headers"]["type"], item.get("payload") or {}
    if kind == "event":
        if replay_id := (payload.get("tags") or {}).get("replayId"):
            _replay(found, replay_id).errors.append(payload)
    elif kind == "replay_event":
        _replay(found, payload["replay_id"]).descriptions[payload["segment_id"]] = payload
    else:
        head, _, body = base64.b64decode(item["payload_b64"]).partition(b"\n")
        number, is_plain = json.loads(head)["segment_id"], body[:1] == b"["
        replay = _replay(found, headers["event_id"])
        replay.segments[number] = json.loads(body if is_plain else zlib.decompress(body))
        if is_plain:
            replay.plain_segments.add(number)


def _replay(found: dict[str, CapturedReplay], replay_id: str) -> CapturedReplay:
    return found.setdefault(replay_id, CapturedReplay(replay_id))


def _moved(replay: CapturedReplay, by: timedelta) -> CapturedReplay:
    segments = {
        number: [_moved_event(one, by) for one in events] for number, events in replay.segments.items()
    }
    return CapturedReplay(
        replay.replay_id,
        segments,
        {number: moved(one, by) for number, one in replay.descriptions.items()},
        replay.plain_segments,
        [moved(one, by) for one in replay.errors],
    )


def _moved_event(event: Event, by: timedelta) -> Event:
    whole: Event = moved(event, by)
    if event["timestamp"] >= 1e11:
        whole["timestamp"] = event["timestamp"] + round(by.total_seconds() * 1000)
    return whole


def _line(item_type: str, **values: Any) -> bytes:
    return json.dumps({"type": item_type, **values}).encode()
