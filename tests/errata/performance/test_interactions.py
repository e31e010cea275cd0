"""Captured interactions: of which SDKs sent the frame that users waited for, and why not of the others."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from errata.performance.causes import HANDLER, LEAST_SHARE
from tests.captures import GENERATIONS, envelopes

# Shorter frames are not long.
LONG_S = 0.05
# The span of a navigation begins in the handler that starts it.
NEAR_S = 0.05


@dataclass
class Sent:
    """What one version of the SDK sent, whatever view, trace or replay it names. Times are unix seconds."""

    interactions: list[tuple[float, float, str]] = field(default_factory=list)
    """Start, end, trace."""
    frames: list[tuple[float, float, bool]] = field(default_factory=list)
    """Start, end, whether a handler began it."""
    views: list[tuple[float, float, str, str]] = field(default_factory=list)
    """Start, end, op, trace."""

    def why(self, start: float, end: float, trace: str) -> str:
        shared = [
            is_handler
            for begin, over, is_handler in self.frames
            if min(over, end) - max(begin, start) >= LEAST_SHARE * (end - start)
        ]
        if shared:
            return "handler" if any(shared) else "other script"
        if any(
            op == "navigation" and -NEAR_S <= begin - start <= end - start for begin, _, op, _ in self.views
        ):
            return "started a navigation"
        is_open = any(begin <= start and over >= end and own == trace for begin, over, _, own in self.views)
        return ("span open" if is_open else "no span open") + (", short" if end - start < LONG_S else "")


def sent_by(generation: str) -> Sent:
    sent = Sent()
    for span in spans_of(generation):
        data = span.get("data") or {
            name: each["value"] for name, each in (span.get("attributes") or {}).items()
        }
        op = data.get("sentry.op") or span.get("op") or ""
        start, end = span["start_timestamp"], span.get("end_timestamp") or span["timestamp"]
        if op in ("pageload", "navigation"):
            sent.views.append((start, end, op, span["trace_id"]))
        elif op.replace("_", "-") == "ui.long-animation-frame":
            is_handler = data["browser.script.invoker_type"] == "event-listener"
            called = HANDLER.search(data["browser.script.invoker"]) is not None
            sent.frames.append((start, end, is_handler and called))
        elif op.startswith("ui.interaction."):
            sent.interactions.append((start, end, span["trace_id"]))
    return sent


def spans_of(generation: str) -> Iterator[dict[str, Any]]:
    for envelope in envelopes(generation):
        for item in envelope["items"]:
            payload, kind = item.get("payload") or {}, item["headers"]["type"]
            if kind == "transaction":
                trace = payload["contexts"]["trace"]
                yield {**payload, "op": trace["op"], "trace_id": trace["trace_id"], "data": {}}
                yield from payload["spans"]
            elif kind == "span":
                yield from payload.get("items") or [payload]


def test_frames_are_sent_only_while_a_view_is_measured() -> None:
    """As docs/causes.md counts them. No frame of another view explains an interaction without one."""
    found: Counter[str] = Counter()
    for generation in GENERATIONS:
        sent = sent_by(generation)
        found.update(sent.why(*interaction) for interaction in sent.interactions)
    assert found == {
        "handler": 33,
        "other script": 3,
        "no span open": 44,
        "no span open, short": 12,
        "started a navigation": 14,
        "span open, short": 5,
    }
    assert found.total() == 111
