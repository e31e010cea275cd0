"""The real events a crowd is made of, and their changes: as other functions, cut, without what differs."""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from bench.events import DATA

Event = dict[str, Any]

FILES = ("python_errors.jsonl.gz", "javascript_errors.jsonl.gz", "browser_error_events.jsonl.gz")
# Written anew for each event of the crowd.
VARYING = ("event_id", "timestamp", "user", "environment", "release", "server_name", "tags")
CUT_BYTES = 640
CONSONANTS = "bcdfghjklmnpqrstvwxz"


def originals() -> list[Event]:
    """Those that raised something with a stack."""
    found = []
    for name in FILES:
        with gzip.open(DATA / name) as lines:
            found += [event for event in map(json.loads, lines) if _frames(event)]
    return found


def changed(event: Event, number: int) -> Event:
    """The same error raised in another function, so that it is another variant, and another issue."""
    copied: Event = json.loads(json.dumps(event))
    change(copied, number)
    return copied


def change(event: Event, number: int) -> None:
    word = word_of(number)
    raised = event["exception"]["values"][-1]
    frame = _frames(event)[-1]
    frame["function"] = f"{frame.get('function') or 'run'}_{word}"
    if frame.get("module"):
        frame["module"] = f"shop.{word}"
    # Minified stacks are told by their message too.
    raised["value"] = f"{raised.get('value') or ''} {word}".strip()


def rest_of(event: Event) -> str:
    """The payload without what differs from event to event, to be put behind it."""
    return _text({name: value for name, value in event.items() if name not in VARYING})[1:]


def cut_rest_of(event: Event) -> str:
    """The same with little more than type, message and innermost frames."""
    raised = event["exception"]["values"][-1]
    for frame_count in (3, 2, 1, 0):
        frames = [_cut_frame(frame) for frame in _frames(event)[-frame_count:]] if frame_count else []
        exception = {
            "type": str(raised.get("type") or "")[:100],
            "value": str(raised.get("value") or "")[:120],
            "stacktrace": {"frames": frames},
        }
        names = ("platform", "level", "transaction")
        rest = {name: str(event[name])[:80] for name in names if event.get(name)}
        text = _text({"exception": {"values": [exception]}, **rest})[1:]
        if len(text) <= CUT_BYTES:
            break
    return text


def word_of(number: int) -> str:
    """Letters alone: digits are cut out of names."""
    letters = ""
    while True:
        number, digit = divmod(number, len(CONSONANTS))
        letters += CONSONANTS[digit]
        if not number:
            return letters


def _frames(event: Event) -> list[dict[str, Any]]:
    values = (event.get("exception") or {}).get("values") or [{}]
    return (values[-1].get("stacktrace") or {}).get("frames") or []


def _cut_frame(frame: Mapping[str, Any]) -> dict[str, Any]:
    names = ("filename", "function", "module", "lineno", "in_app")
    kept = {name: frame[name] for name in names if frame.get(name) not in (None, "")}
    return {name: value[-60:] if isinstance(value, str) else value for name, value in kept.items()}


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
