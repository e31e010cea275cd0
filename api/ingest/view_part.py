"""One item's part of a page view: opening, timings, vitals. The model page_loads puts parts together."""

from typing import Any

from api.ingest.addresses import storable
from api.ingest.bounds import is_within
from api.ingest.long_frame import LONG_FRAMES, Frame, frame_of, longest
from api.ingest.sender import Sender
from api.ingest.span import Span
from api.ingest.span_rows import span_item_id
from api.ingest.values import amount, identifier, label, mapping, text
from errata.performance.metric import PAGE_METRICS
from errata.routes import MAX_LENGTH, template
from errata.user_agent import reports_layout_shifts, user_agent

LOAD_EVENT = frozenset({"browser.load_event", "browser.loadEvent"})
DOM_READY = frozenset({"browser.dom_content_loaded_event", "browser.domContentLoadedEvent"})
VIEW_OPS = frozenset({"pageload", "navigation"})
NAVIGATE, SOFT, RESTORED = "navigate", "soft-navigation", "back-forward-cache"
# Placeholder names of SDKs for pages without a router.
NAMELESS = frozenset({"", "Pageload", "Navigation"})
# Columns of vitals by the names under which SDKs send them.
VITALS = {metric.sent_as: metric.name for metric in PAGE_METRICS.values() if metric.sent_as}
# SDKs from 11 on send the other vitals as spans of their own.
VITALS_OF_SEGMENTS = {name: VITALS[name] for name in VITALS if name not in ("lcp", "cls", "inp")}
LCP_NUMBERS = ("lcp_size", "lcp_load_ms", "lcp_render_ms")
# SDKs send five at most.
MOST_SHIFT_SOURCES = 10


class ViewPart:
    """Gathers spans of one view; `row` is then a row of errata_raw.page_views."""

    def __init__(self, view_id: int) -> None:
        self.view_id = view_id
        self.columns: dict[str, Any] = {}
        self.first: Span | None = None
        self.opening: Span | None = None
        self.intervals: list[tuple[float, float]] = []
        self.calls: list[float] = []
        self.frames: list[Frame] = []
        self._lcp_start = 0.0

    def take(self, span: Span) -> bool:
        """Whether the span belongs to the stored part of a view."""
        op, columns = span.op, self.columns
        if op.startswith("resource."):
            self.intervals.append((span.start_ms, span.end_ms))
        elif op == "http.client":
            self.calls.append(span.duration_ms)
        elif op in LONG_FRAMES:
            self.frames.append(frame_of(span))
        elif op in LOAD_EVENT:
            columns["load_at_ms"] = span.end_ms
        elif op in DOM_READY:
            columns["dom_ready_at_ms"] = span.end_ms
        elif op == "browser.response":
            columns["response_at_ms"] = span.start_ms
        elif op == "ui.webvital.lcp":
            self._take_lcp(span)
        elif op == "ui.webvital.cls":
            self._take_cls(span)
        elif op.startswith("ui.interaction."):
            if not self._take_inp(span):
                return False
        else:
            return False
        if self.first is None:
            self.first = span
        return True

    def _take_lcp(self, span: Span) -> None:
        value = amount(span.data.get("browser.web_vital.lcp.value"))
        if value is not None and span.start >= self._lcp_start and self._is_fit("lcp_ms", value):
            self._lcp_start = span.start
            self.columns["lcp_ms"] = value
            for column in LCP_NUMBERS:
                self.columns.pop(column, None)
            self.columns.update(lcp_columns(span.data, "browser.web_vital.lcp.", "load_time", "render_time"))

    def _take_cls(self, span: Span) -> None:
        value = amount(span.data.get("browser.web_vital.cls.value"))
        if value is not None and self._is_larger("cls", value):
            self.columns["cls"] = value
            self.columns.update(cls_columns(span.data, "browser.web_vital.cls.source."))

    def _take_inp(self, span: Span) -> bool:
        value = amount(span.data.get("browser.web_vital.inp.value"))
        if value is None:
            return False
        if self._is_larger("inp_ms", value):
            self.columns["inp_ms"] = value
            self.columns["inp_target"] = element(span.data.get("browser.web_vital.inp.target"))
            self.columns.update(interaction_columns(span))
        return True

    def _is_fit(self, vital: str, value: float) -> bool:
        """False for a span out of bounds: its row is dropped and counted."""
        return vital not in self.columns or is_within(vital, value)

    def _is_larger(self, vital: str, value: float) -> bool:
        before = self.columns.get(vital, value)
        return self._is_fit(vital, value) and (value >= before or not is_within(vital, before))

    def open(self, segment: Span, columns: dict[str, Any]) -> None:
        """Takes the segment or transaction that is the view itself."""
        self.opening = segment
        self.columns.update(columns)
        self.columns["is_load"] = True
        self.columns["started_at_ms"] = segment.start_ms
        self.columns["duration_ms"] = segment.duration_ms
        self.columns["parent_span_id"] = segment.parent_id

    def row(self, sender: Sender, columns: dict[str, Any]) -> dict[str, Any]:
        """The row. `columns`: the visitor's software. The id is that of the opening, else of the first
        span."""
        span = self.opening or self.first
        assert span is not None, "a part needs at least one span"
        occurred_at, is_corrected = sender.when(span)
        return {
            **sender.shared,
            "view_id": self.view_id,
            "occurred_at": occurred_at,
            "item_id": span_item_id(span),
            "is_clock_corrected": is_corrected,
            "trace_id": span.trace_id,
            "user_hash": sender.user_hash,
            "country": sender.item.country,
            "started_at_ms": span.start_ms,
            **columns,
            **self.columns,
            "resource_intervals": covered(self.intervals),
            "call_ms": self.calls,
            "frames": longest(self.frames),
        }


def covered(intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The stretches covered by at least one interval."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def opening_columns(span: Span, page: str, address: str) -> dict[str, Any]:
    """Columns that only the view itself has: page, address and kind of navigation."""
    said = text(span.data.get("browser.navigation.type"), 32)
    navigation_type = navigation_type_of(span.op, span.origin, said)
    return {
        "navigation_type": navigation_type,
        "navigation_detail": said if said != navigation_type else "",
        "page": page,
        "url": storable(address),
        "finish_reason": text(span.data.get("sentry.idle_span_finish_reason"), 32),
        "connection": text(
            span.data.get("network.connection.effective_type") or span.data.get("effectiveConnectionType"), 16
        ),
    }


def navigation_type_of(op: str, origin: str, said: str) -> str:
    """The navigation type. A reload, a prerendered page and a step through the history are page loads."""
    if said == RESTORED or origin.endswith(".bfcache"):
        return RESTORED
    if said == SOFT or op == "navigation":
        return SOFT
    return NAVIGATE


def page_of(name: str, source: str, address: str) -> str:
    """The router's name of the page, else its path with `{id}` for variable segments."""
    if source not in ("url", "") and name not in NAMELESS:
        return name[:MAX_LENGTH]
    if name in NAMELESS or not address:
        return template(address or name) if address or name not in NAMELESS else ""
    return template(name if name.startswith("/") else address)


def visitor_columns(agent: str, replay_id: Any, sdk_name: Any, sdk_version: Any) -> dict[str, Any]:
    browser, version, system, device = user_agent(agent)
    name, major = text(sdk_name, 64), label(sdk_version, 32).partition(".")[0]
    return {
        "browser": browser,
        "browser_version": version,
        "os": system,
        "device": device,
        "replay_id": identifier(replay_id),
        "sdk": f"{name} {major}".strip(),
    }


def measured_columns(payload: dict[str, Any], root: Span, agent: str) -> dict[str, Any]:
    """Vitals of a transaction (SDKs before 11)."""
    data = root.data
    measurements = mapping(payload.get("measurements"))
    columns: dict[str, Any] = {}
    for name, column in VITALS.items():
        value = amount(mapping(measurements.get(name)).get("value"))
        if value is not None:
            columns[column] = value
    if "lcp_ms" in columns:
        columns.update(lcp_columns(data, "lcp.", "loadTime", "renderTime"))
    if "cls" in columns:
        columns.update(cls_columns(data, "cls.source."))
    elif "cls" not in measurements and "fcp_ms" in columns and is_sent_if_shifted(payload, root, agent):
        columns["cls"] = 0.0
    return columns


def is_sent_if_shifted(payload: dict[str, Any], root: Span, agent: str) -> bool:
    """Whether the SDK would have sent a layout shift: so it does once the page has painted and something
    moved, if the browser reports it. Without a shift it sends none."""
    sdk = mapping(payload.get("sdk"))
    return (
        root.op == "pageload"
        and text(sdk.get("name"), 64).startswith("sentry.javascript.")
        and label(sdk.get("version"), 32).partition(".")[0] in ("8", "9", "10")
        and reports_layout_shifts(agent)
    )


def attribute_columns(data: dict[str, Any]) -> dict[str, Any]:
    """Vitals of a streamed segment (SDKs from 11 on)."""
    columns: dict[str, Any] = {}
    for name, column in VITALS_OF_SEGMENTS.items():
        value = amount(data.get(f"browser.web_vital.{name}.value"))
        if value is not None:
            columns[column] = value
    return columns


def lcp_columns(data: dict[str, Any], prefix: str, load_time: str, render_time: str) -> dict[str, Any]:
    """The element of the LCP, its image, and what the browser said of both; `prefix`: of the attributes."""
    columns: dict[str, Any] = {
        "lcp_element": element(data.get(f"{prefix}element")),
        "lcp_id": text(data.get(f"{prefix}id")),
        "lcp_url": storable(text(data.get(f"{prefix}url"), 4000)),
    }
    for column, name in zip(LCP_NUMBERS, ("size", load_time, render_time), strict=True):
        value = amount(data.get(f"{prefix}{name}"))
        # A time of 0 means that the browser hides it: other origins without Timing-Allow-Origin, or text.
        if value:
            columns[column] = value
    return columns


def cls_columns(data: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The elements of the layout shift that SDKs report, the one that moved most first."""
    sources = []
    for number in range(1, MOST_SHIFT_SOURCES + 1):
        if not (found := element(data.get(f"{prefix}{number}"))):
            break
        sources.append(found)
    return {"cls_source": sources[0] if sources else "", "cls_sources": sources}


def interaction_columns(span: Span) -> dict[str, Any]:
    """When the interaction began, and its type: `click` of `ui.interaction.click`."""
    said = text(span.data.get("browser.web_vital.inp.interaction_type"), 32)
    return {"inp_at_ms": span.start_ms, "inp_type": said or span.op.rpartition(".")[2][:32]}


def element(value: Any) -> str:
    """A selector as sent: SDKs cut long ones from the left, and leave the arrow."""
    return text(value, 500).removeprefix(" > ")
