"""One page load as rows of bars: where each begins and ends, in shares of the whole."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from dashboards.performance.resource_types import TYPES
from dashboards.performance.scripts import file_name, frame_name
from errata.performance.causes import LongFrame
from errata.performance.metric import Unit
from errata.reports import formats
from errata.reports.chart_values import tick_words
from errata.routes import path_of
from errata.warehouse.queries.performance.server_spans import ServerSpan
from errata.warehouse.queries.performance.waterfall import PageView, Resource, Waterfall

# Rows of a waterfall: what was loaded, and when the page was busy.
KINDS = {**TYPES, "frame": "Long frame"}
# In the order of a load; the first two are states of the document, the others what people see.
MARKS = (
    ("ttfb_ms", "TTFB"),
    ("dom_ready_ms", "DOM ready"),
    ("fcp_ms", "FCP"),
    ("lcp_ms", "LCP"),
    ("load_ms", "Load"),
    ("inp_at_ms", "INP begins"),
)
STEPS_MS = (
    *(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000),
    *(300_000, 900_000, 3_600_000, 14_400_000),
)
MOST_TICKS = 7
# What is said to have happened later stands at the edge.
LONGEST_MS = 86_400_000.0
# After the load, and nothing going on for as long, comes something else: a click, or a timer.
IDLE_MS = 2_000
# Narrower than this nobody sees it.
NARROWEST = 0.4


@dataclass(frozen=True, slots=True)
class Mark:
    name: str
    word: str
    value: str
    left: float
    """In percent of the width, here and below."""


@dataclass(frozen=True, slots=True)
class Tick:
    words: str
    left: float


@dataclass(frozen=True, slots=True)
class Bar:
    name: str
    title: str
    kind: str
    kind_words: str
    left: float
    width: float
    start: str
    duration: str
    size: str
    facts: list[tuple[str, str]]
    call: str = ""
    """The URL of an API call."""
    host: str = ""
    depth: int = 0
    is_blocking: bool = False
    is_failed: bool = False
    is_cached: bool = False
    is_lcp: bool = False
    is_meant: bool = False
    """What a recommendation speaks of."""
    is_inp: bool = False
    """The frame that the interaction of the INP waited for."""
    start_ms: float = 0
    duration_ms: float = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Chart:
    bars: list[Bar]
    marks: list[Mark]
    ticks: list[Tick]
    words: str
    """What a screen reader says of the whole."""
    end_ms: float
    """Of the timeline."""
    left_out: Sequence[str] = ()
    """What began later than the load: each with its moment."""


def chart(waterfall: Waterfall, meant: str = "") -> Chart:
    """`meant` is the URL or path of the resource to point out. Where it began later than the load, all that
    is known is drawn."""
    whole = waterfall
    end_ms = _end_of_load(waterfall)
    if not (meant and any(_is_at(one, meant) for one in waterfall.resources if one.offset_ms > end_ms)):
        waterfall = replace(
            waterfall,
            resources=[one for one in waterfall.resources if one.offset_ms <= end_ms],
            frames=[one for one in waterfall.frames if one.offset_ms <= end_ms],
        )
    scale = Scale.to(waterfall.end_ms)
    view = waterfall.view
    bars = [*_document(waterfall, scale)]
    frames = deque(waterfall.frames)
    for resource in waterfall.resources:
        while frames and frames[0].offset_ms < resource.offset_ms:
            bars.append(_frame(frames.popleft(), waterfall, scale))
        bar = _bar(resource, view, scale)
        if resource.type == "api":
            bar = replace(bar, call=resource.url, host=resource.host)
        bars.append(replace(bar, is_meant=True) if meant and _is_at(resource, meant) else bar)
        bars += [_server(span, scale) for span in resource.spans]
    bars += [_frame(frame, waterfall, scale) for frame in frames]
    marks = [
        Mark(name, word, formats.duration(value), scale.place(value))
        for name, word in MARKS
        # An interaction long after the load is none of its time.
        if (value := getattr(view, name)) is not None and (name != "inp_at_ms" or value <= scale.end_ms)
    ]
    marked = ", ".join(f"{mark.word} at {mark.value}" for mark in marks)
    counted = formats.plural(len(waterfall.resources), "resource or call", "resources and calls")
    if waterfall.frames:
        counted += f" and {formats.plural(len(waterfall.frames), 'long frame')}"
    return Chart(
        bars,
        marks,
        list(scale.ticks()),
        f"{counted} in {formats.duration(scale.end_ms)}; {marked}",
        scale.end_ms,
        _left_out(whole, waterfall),
    )


def _end_of_load(waterfall: Waterfall) -> float:
    """When the page first had nothing to do for a while after its vitals: what a click starts is later."""
    view = waterfall.view
    vitals = (view.load_ms, view.dom_ready_ms, view.fcp_ms, view.lcp_ms, view.ttfb_ms)
    end_ms = max([0.0, *(one for one in vitals if one)])
    busy = [(one.offset_ms, one.end_ms) for one in waterfall.resources]
    busy += [(one.offset_ms, one.end_ms) for one in waterfall.frames]
    for begin, end in sorted(busy):
        if begin > end_ms + IDLE_MS:
            break
        end_ms = max(end_ms, end)
    return end_ms


def _left_out(whole: Waterfall, drawn: Waterfall) -> list[str]:
    later = [
        *((one.offset_ms, file_name(one.url)) for one in whole.resources[len(drawn.resources) :]),
        *((one.offset_ms, frame_name(one.invoker, one.file)) for one in whole.frames[len(drawn.frames) :]),
    ]
    return [f"{name} at {formats.duration(offset_ms)}" for offset_ms, name in sorted(later)]


@dataclass(frozen=True, slots=True)
class Scale:
    end_ms: float

    @classmethod
    def to(cls, end_ms: float) -> "Scale":
        # Not a number is not less either.
        return cls(end_ms if end_ms < LONGEST_MS else LONGEST_MS)

    def place(self, moment_ms: float) -> float:
        return round(min(100.0, max(0.0, moment_ms / self.end_ms * 100)), 3)

    def width(self, start_ms: float, duration_ms: float) -> float:
        return max(NARROWEST, round(self.place(start_ms + duration_ms) - self.place(start_ms), 3))

    def ticks(self) -> Iterator[Tick]:
        step = next((step for step in STEPS_MS if self.end_ms / step <= MOST_TICKS), STEPS_MS[-1])
        for number in range(int(self.end_ms // step) + 1):
            # One at the edge would be cut off.
            if self.place(number * step) <= 94:
                yield Tick(tick_words(number * step, Unit.MS), self.place(number * step))


def _document(waterfall: Waterfall, scale: Scale) -> Iterator[Bar]:
    view = waterfall.view
    if view.navigation_type == "navigate" and view.ttfb_ms is not None:
        facts = [("URL", view.url), ("First byte", formats.duration(view.ttfb_ms))]
        yield _made(
            file_name(view.url) or view.page,
            "document",
            0.0,
            view.ttfb_ms,
            scale,
            facts,
            size=formats.NOTHING,
        )
    yield from (_server(span, scale) for span in waterfall.document_spans)


def _is_at(resource: Resource, url: str) -> bool:
    """`url` may be a path alone, and SDKs before 10 leave out the page's own host."""
    if url.startswith("/"):
        return path_of(resource.url) == url
    return resource.url == url or (resource.url.startswith("/") and url.endswith(resource.url))


def _bar(resource: Resource, view: PageView, scale: Scale) -> Bar:
    facts = [
        ("URL", resource.url),
        ("Host", resource.host),
        ("Initiator", resource.initiator),
        ("Start", formats.duration(resource.offset_ms)),
        ("Duration", formats.duration(resource.duration_ms)),
        ("Over the wire", _wire(resource)),
        ("Compressed", formats.size(resource.body_bytes) if resource.is_sized else ""),
        ("Decoded", formats.size(resource.decoded_bytes) if resource.is_sized else ""),
        ("Blocks rendering", _blocks(resource)),
        ("Status", str(resource.status_code or "")),
    ]
    return _made(
        file_name(resource.url),
        resource.type if resource.type in TYPES else "other",
        resource.offset_ms,
        resource.duration_ms,
        scale,
        facts,
        size=_size(resource),
        size_bytes=resource.transfer_bytes,
        is_blocking=resource.is_render_blocking,
        is_failed=resource.status_code >= 400,
        is_cached=resource.is_cached,
        is_lcp=bool(view.lcp_url) and resource.url == view.lcp_url,
    )


def _frame(frame: LongFrame, waterfall: Waterfall, scale: Scale) -> Bar:
    facts = [
        ("Invoked by", frame.invoker),
        ("Function", frame.function),
        ("Original source", frame.source),
        ("Script", frame.file),
        ("At character", formats.count(frame.position) if frame.position > 0 else ""),
        ("Kind", frame.invoker_type.replace("-", " ")),
        ("Start", formats.duration(frame.offset_ms)),
        ("Duration", formats.duration(frame.duration_ms)),
    ]
    bar = _made(
        frame_name(frame.invoker, frame.file),
        "frame",
        frame.offset_ms,
        frame.duration_ms,
        scale,
        facts,
        size=formats.NOTHING,
    )
    return replace(bar, is_inp=frame == waterfall.inp_frame)


def _server(span: ServerSpan, scale: Scale) -> Bar:
    facts = [
        ("Operation", span.op),
        ("Description", span.description),
        ("Service", span.service),
        ("Start", formats.duration(span.offset_ms)),
        ("Duration", formats.duration(span.duration_ms)),
        ("Status", str(span.status_code or span.status)),
        ("Clock", "Server clock differs: centered in its call" if span.is_shifted else ""),
    ]
    return _made(
        span.description or span.op,
        "server",
        span.offset_ms,
        span.duration_ms,
        scale,
        facts,
        size=formats.NOTHING,
        depth=span.depth + 1,
        is_failed=span.status_code >= 500,
    )


def _made(
    name: str,
    kind: str,
    start_ms: float,
    duration_ms: float,
    scale: Scale,
    facts: Sequence[tuple[str, str]],
    *,
    size: str,
    size_bytes: int = 0,
    depth: int = 0,
    is_blocking: bool = False,
    is_failed: bool = False,
    is_cached: bool = False,
    is_lcp: bool = False,
) -> Bar:
    known = [(word, value) for word, value in facts if value]
    return Bar(
        name=name,
        title="\n".join(f"{word}: {value}" for word, value in known),
        kind=kind,
        kind_words=KINDS[kind],
        left=scale.place(start_ms),
        width=scale.width(start_ms, duration_ms),
        start=formats.duration(start_ms),
        duration=formats.duration(duration_ms),
        size=size,
        facts=known,
        depth=depth,
        is_blocking=is_blocking,
        is_failed=is_failed,
        is_cached=is_cached,
        is_lcp=is_lcp,
        start_ms=start_ms,
        duration_ms=duration_ms,
        size_bytes=size_bytes,
    )


def _wire(resource: Resource) -> str:
    if resource.is_cached:
        return "0 B (from cache)"
    return formats.size(resource.transfer_bytes) if resource.transfer_bytes else "not reported by the host"


def _size(resource: Resource) -> str:
    if resource.is_cached:
        return "cache"
    known = resource.transfer_bytes or resource.body_bytes
    return formats.size(known) if known else formats.NOTHING


def _blocks(resource: Resource) -> str:
    if not resource.is_render_blocking:
        return ""
    return f"yes, up to {formats.duration(resource.delay_ms)}"
