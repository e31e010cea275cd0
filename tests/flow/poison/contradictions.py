"""Ingredients: items that contradict each other."""

from datetime import timedelta
from typing import Any

from tests.flow.poison import made_items
from tests.flow.poison.line import Line
from tests.flow.poison.pot import Pot, objects
from tests.flow.poison.values import text

ID_NAMES = ("event_id", "trace_id", "span_id", "parent_span_id", "replay_id", "sid")
STATUSES = ("ok", "exited", "errored", "crashed", "abnormal", "unhandled", "", "made up", "\0")


def changed_copies(pot: Pot) -> None:
    """The same id with other contents, or as an item of another type."""
    for line in pot.some(pot.of_type("event", "transaction", "session")):
        changed = line.copy()
        payload = changed.payload
        payload["release"] = pot.chance.choice(("other@2", "", None, 7))
        payload["environment"] = text(pot.chance)
        payload["exception"] = {"values": [{"type": "OtherError", "value": text(pot.chance)}]}
        payload["user"] = {"id": pot.chance.randrange(5)}
        payload["transaction"] = "/other"
        if pot.chance.random() < 0.3:
            changed.item["type"] = "transaction" if line.type == "event" else "event"
        pot.lines.append(changed)


def neighbors_ids(pot: Pot) -> None:
    """Ids that items of another project have."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session", "replay_event"), 8):
        for held in objects(line.payload):
            for name in ID_NAMES:
                if isinstance(held.get(name), str) and pot.chance.random() < 0.5 and pot.foreign:
                    digits = len(held[name].replace("-", ""))
                    held[name] = pot.chance.choice(pot.foreign)[:digits]


def other_project(pot: Pot) -> None:
    """Lines for another project in the same batch, and the same lines for both."""
    for line in pot.some(pot.of_type("event", "transaction", "span", "session"), 8):
        other = line.copy() if pot.chance.random() < 0.5 else line
        other.item["app_key"] = pot.app_keys[1]
        if other is not line:
            pot.lines.append(other)


def parents_in_cycles(pot: Pot) -> None:
    """Spans that are each other's parents, or their own."""
    for line in (made_items.load(pot), *pot.some(pot.of_type("transaction", "span"), 5)):
        spans = [held for held in objects(line.payload) if isinstance(held.get("span_id"), str)]
        for number, held in enumerate(spans):
            held["parent_span_id"] = spans[number - 1]["span_id"]
    first, second = pot.hex(16), pot.hex(16)
    trace = pot.hex()
    for own, parent in ((first, second), (second, first)):
        call = made_items.call(pot)
        call.payload["contexts"]["trace"] |= {"trace_id": trace, "span_id": own, "parent_span_id": parent}


def parts_before_loads(pot: Pot) -> None:
    """Vitals, resources and calls of a view that happened before it, long after it, or that has none."""
    trace, view = pot.hex(), pot.hex(16)
    of_view: dict[str, Any] = {"sentry.pageload.span_id": view, "sentry.segment.id": view}
    end = pot.now.timestamp()
    for seconds in pot.chance.sample((0, 1, -3_600, -86_400, -3 * 86_400), 3):
        when: dict[str, Any] = {"start_timestamp": end + seconds - 1, "end_timestamp": end + seconds}
        parts = [
            made_items.span(pot, op, of_view | more, trace_id=trace, parent_span_id=view, **when)
            for op, more in (
                ("ui.webvital.lcp", {"browser.web_vital.lcp.value": 900 + seconds}),
                ("ui.interaction.click", {"browser.web_vital.inp.value": 10}),
                ("resource.script", {"http.response_transfer_size": 5}),
                ("http.client", {"sentry.origin": "auto.http.browser", "http.response.status_code": 200}),
            )
        ]
        made_items.container(pot, *pot.chance.sample(parts, 3))
    if pot.chance.random() < 0.8:
        made_items.load(pot, trace_id=trace, span_id=view)


def shared_span_ids(pot: Pot) -> None:
    """Two loads with one span id, one load of two kinds, spans of one id in one container."""
    trace, view = pot.hex(), pot.hex(16)
    for op in ("pageload", "navigation", "pageload", "http.server"):
        made_items.load(pot, op=op, span_id=view, trace_id=pot.chance.choice((trace, pot.hex())))
    segment: dict[str, Any] = {"span_id": view, "trace_id": trace, "is_segment": True}
    made_items.container(
        pot,
        *(
            made_items.span(pot, op, **segment)
            for op in ("pageload", "navigation", "http.server", "pageload")
        ),
    )


def ends_before_starts(pot: Pot) -> None:
    for line in (made_items.load(pot), made_items.call(pot), *pot.some(pot.of_type("transaction", "span"))):
        for held in objects(line.payload):
            for start, end in (("start_timestamp", "timestamp"), ("start_timestamp", "end_timestamp")):
                if start in held and end in held and pot.chance.random() < 0.6:
                    held[start], held[end] = held[end], held[start]


def session_states(pot: Pot) -> None:
    """Sessions that end before they start, end twice, begin again, of nobody and without an id."""
    sid = pot.hex()
    for status in pot.chance.sample(STATUSES, 5):
        seconds = pot.chance.choice((-90_000, -1, 0, 1, 300))
        made_items.session(
            pot,
            sid=pot.chance.choice((sid, sid, "", None, "not an id", text(pot.chance))),
            status=status,
            init=pot.chance.choice((True, False, "true", None)),
            started=(pot.now - timedelta(seconds=seconds)).isoformat(),
            errors=pot.chance.choice((0, -1, 3, "3", 1 << 31, 1 << 62, None)),
            duration=pot.chance.choice((0, -5, 1.5, "9", None)),
            did=pot.chance.choice((None, "", "u", 7, [])),
        )


def session_aggregates(pot: Pot) -> None:
    counts = (0, -1, 1, 7, "7", None, 1 << 20, (1 << 32) - 1, 1 << 32)
    aggregates = [
        {
            "started": (pot.now - timedelta(minutes=number % 3)).isoformat(),
            **{status: pot.chance.choice(counts) for status in pot.chance.sample(STATUSES, 3)},
        }
        for number in range(pot.chance.choice((0, 1, 5, 60)))
    ]
    attributes = {"release": "shop@1.0.0", "environment": "production"}
    pot.add("sessions", {"aggregates": [*aggregates, None, 1, {}], "attrs": attributes})
    pot.add("sessions", pot.chance.choice(({}, {"aggregates": {}}, {"aggregates": [], "attrs": 1})))


def replay_segments(pot: Pot) -> None:
    """Segments repeated, out of order, missing, without their description, of no recording."""
    replay = pot.hex()
    for segment in pot.chance.choices((0, 1, 2, 2, 9, 1 << 31, (1 << 32) - 1, -1, "3", None), k=4):
        described: Line = pot.add(
            "replay_event",
            {
                "replay_id": pot.chance.choice((replay, "", "no id", None)),
                "segment_id": segment,
                "timestamp": pot.now.timestamp(),
                "replay_start_timestamp": pot.now.timestamp() + 60,
                "urls": pot.chance.choice((["/a", None, 7, text(pot.chance)], "/a", None)),
                "error_ids": [text(pot.chance), pot.hex()],
            },
        )
        described.item["headers"] = {"event_id": replay}
        recorded = pot.chance.choice(("eyJzZWdtZW50X2lkIjoxfQpbXQ==", "", "AAAA", "/////w=="))
        pot.lines.append(
            Line(
                {
                    "type": "replay_recording",
                    "logged_at": pot.now.isoformat(),
                    "headers": {"event_id": pot.chance.choice((replay, None))},
                    "payload_b64": recorded,
                }
            )
        )
