"""What was captured of real SDKs, as stencils for the weeks before today."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from demo import captured, story
from demo.replays import Replay
from demo.stencil import Copy, Stencil

SHOP_FILE = Path(__file__).parent / "captured_shop_errors.jsonl.gz"
SERVER_FILE = Path(__file__).parent / "captured_server_items.jsonl.gz"
MEASURING = (
    *("pageload", "browser.load_event", "browser.dom_content_loaded_event"),
    *("ui.webvital.lcp", "ui.webvital.cls", "ui.interaction.click"),
)
_PRODUCT = "/products/{id}"
RENAMED = {"/products/{sku}": _PRODUCT}
"""Endpoints of the capture, as the shop names them now."""


@dataclass(frozen=True)
class Load:
    """A page load: its containers of spans with its resources, and those with its measurements alone."""

    page: str
    load_ms: float
    whole: Sequence[Stencil]
    measured: Sequence[Stencil]


@dataclass(frozen=True)
class Call:
    """A call of the server; `lasts_ms` as captured, `median_ms` of those it stands for."""

    endpoint: str
    status: int
    lasts_ms: float
    stencil: Stencil

    @property
    def median_ms(self) -> float:
        return story.FAILING.get(self.status, story.ENDPOINTS[self.endpoint].lasts_ms)

    @property
    def outcome(self) -> str:
        return "failing" if self.status >= 500 else "refused" if self.status >= 400 else "answered"


@dataclass(frozen=True)
class Occurrence:
    """An error; if it is a page's, also as it names its replay."""

    event: Stencil
    of_replay: Stencil | None = None
    replay: Replay | None = None

    def lines(
        self, copy: Copy, app_key: str, random: Random, logged_after: timedelta, *, is_replayed: bool
    ) -> Iterator[bytes]:
        if self.of_replay is None or self.replay is None or not is_replayed:
            yield self.event.line(copy, app_key, random, logged_after)
            return
        yield self.of_replay.line(copy, app_key, random, logged_after)
        yield from self.replay.lines(copy, app_key, random, logged_after)


@dataclass(frozen=True)
class Originals:
    loads: Mapping[str, Sequence[Load]]
    sessions: Sequence[Stencil]
    calls: Sequence[Call]
    call_weights: Sequence[float]
    errors: Mapping[str, Sequence[Occurrence]]

    @classmethod
    def read(cls) -> "Originals":
        items = [item for envelope in captured.envelopes() for item in envelope["items"]]
        of_browsers: dict[str, list[Any]] = defaultdict(list)
        for item in items:
            of_browsers[item["headers"]["type"]].append(item["payload"])
        server = [*_lines(SERVER_FILE)]
        loads: dict[str, list[Load]] = defaultdict(list)
        for load in _loads(of_browsers["span"]):
            loads[load.page].append(load)
        errors: dict[str, list[Occurrence]] = defaultdict(list)
        for payload in _of_type(server, "event"):
            stencil = _stencil("event", payload, payload["timestamp"])
            errors[_case(payload)].append(Occurrence(stencil))
        for each in _lines(SHOP_FILE):
            errors[_case(each["event"])].append(_with_replay(**each))
        calls = [*_calls(_of_type(server, "transaction"))]
        return cls(
            loads,
            [_stencil("session", each, each["started"]) for each in of_browsers["session"] if "init" in each],
            calls,
            _weights(calls),
            errors,
        )


def _calls(transactions: Sequence[dict[str, Any]]) -> Iterator[Call]:
    for payload in transactions:
        endpoint = RENAMED.get(payload["transaction"], payload["transaction"])
        if endpoint in story.ENDPOINTS:
            starts, ends = (datetime.fromisoformat(payload[at]) for at in ("start_timestamp", "timestamp"))
            yield Call(
                endpoint,
                payload["contexts"]["response"]["status_code"],
                (ends - starts) / timedelta(milliseconds=1),
                _stencil("transaction", payload | {"transaction": endpoint}, payload["start_timestamp"]),
            )


def _weights(calls: Sequence[Call]) -> list[float]:
    """The capture has as many of each endpoint and outcome; a shop has not."""
    captured_of = Counter((call.endpoint, call.outcome) for call in calls)
    shares = [
        story.ENDPOINTS[call.endpoint].share / captured_of[call.endpoint, call.outcome] for call in calls
    ]
    sums: dict[str, float] = defaultdict(float)
    for call, share in zip(calls, shares, strict=True):
        sums[call.outcome] += share
    return [
        story.OUTCOMES[call.outcome] * share / sums[call.outcome]
        for call, share in zip(calls, shares, strict=True)
    ]


def _with_replay(event: dict[str, Any], segments: Sequence[dict[str, Any]]) -> Occurrence:
    # Whoever met it while it was captured: a copy names its own person, or nobody.
    event = event | {"user": {}, "tags": event["tags"] | {"plan": "", "country": ""}}
    starts = event["timestamp"]
    headers = {"content_type": "application/json"}
    return Occurrence(
        _stencil("event", event, starts),
        Stencil("event", headers, event, starts, has_replay=True),
        Replay(event["tags"]["replayId"], segments, starts),
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _of_type(items: Sequence[dict[str, Any]], item_type: str) -> list[dict[str, Any]]:
    return [item["payload"] for item in items if item["type"] == item_type]


def _case(payload: Mapping[str, Any]) -> str:
    """The bug's name in the capture, else the error's type; the name itself is not told."""
    case = payload.get("extra", {}).pop("case", None)
    return str(case or payload["exception"]["values"][-1]["type"])


def _stencil(item_type: str, payload: Any, starts: str | float) -> Stencil:
    moment = datetime.fromisoformat(starts).timestamp() if isinstance(starts, str) else starts
    return Stencil(item_type, {"content_type": "application/json"}, payload, moment)


def _loads(containers: Sequence[dict[str, Any]]) -> Iterator[Load]:
    spans_of: dict[str, list[list[dict[str, Any]]]] = defaultdict(list)
    for container in containers:
        of_load: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for span in container["items"]:
            of_load[_told(span, "sentry.pageload.span_id") or _told(span, "sentry.segment.id")].append(span)
        for view_id, spans in of_load.items():
            spans_of[view_id].append(spans)
    for parts in spans_of.values():
        spans = [span for part in parts for span in part]
        opening = next((span for span in spans if _told(span, "sentry.op") == "pageload"), None)
        loaded = next((span for span in spans if _told(span, "sentry.op") == "browser.load_event"), None)
        if opening is None or loaded is None:
            continue
        starts = opening["start_timestamp"]
        path = _told(opening, "url.path")
        yield Load(
            _PRODUCT if path.startswith("/products/") else path,
            (loaded["end_timestamp"] - starts) * 1000,
            [_container(part, starts) for part in parts],
            [_container(kept, starts) for part in parts if (kept := _measuring(part))],
        )


def _told(span: Mapping[str, Any], name: str) -> Any:
    return span["attributes"].get(name, {}).get("value", "")


def _measuring(spans: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [span for span in spans if _told(span, "sentry.op") in MEASURING]


def _container(spans: Sequence[dict[str, Any]], starts: float) -> Stencil:
    headers = {"item_count": len(spans), "content_type": "application/vnd.sentry.items.span.v2+json"}
    return Stencil("span", headers, {"version": 2, "items": spans}, starts)
