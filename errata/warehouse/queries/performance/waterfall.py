"""One real page view over time: its resources, its calls, and the server spans behind them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from errata.clock import EPOCH
from errata.errors import ErrataError
from errata.performance.causes import (
    InpParts,
    LcpParts,
    LongFrame,
    frame_of_interaction,
    inp_parts,
    lcp_parts,
)
from errata.performance.script import known_script
from errata.routes import path_of
from errata.warehouse import sql
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Parameters, Row, Warehouse
from errata.warehouse.late_rows import PART_WAITS
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.performance.server_spans import (
    LaterCall,
    ServerSpan,
    TraceSpans,
    server_spans,
)
from errata.warehouse.queries.source_maps.functions import original_functions
from errata.warehouse.queries.source_maps.uploads import Place
from errata.warehouse.typed_rows import typed

NO_TRACE = UUID(int=0)
NO_LCP_PARTS, NO_INP_PARTS = LcpParts(), InpParts()
MOST_RESOURCES = 500
# Rows to read, copies included.
MOST_COPIES = 4 * MOST_RESOURCES
MOST_INTERACTIONS = 1000
FAR = datetime(2100, 1, 1, tzinfo=UTC)


class PageViewNotFound(ErrataError):
    """Unknown, of another organization, or expired."""

    code = "page_view_not_found"

    def __init__(self, view_id: str) -> None:
        super().__init__("Page view not found")
        self.view_id = view_id


@dataclass(frozen=True, slots=True)
class PageView:
    """Vitals are None if not measured. `id` is the span id of the view."""

    id: str
    project_id: int
    occurred_at: datetime
    received_on: date
    page: str
    url: str
    navigation_type: str
    environment: str
    release: str
    sdk: str
    browser: str
    os: str
    device: str
    country: str
    connection: str
    trace_id: str
    replay_id: str
    load_ms: float | None
    ttfb_ms: float | None
    dom_ready_ms: float | None
    fp_ms: float | None
    fcp_ms: float | None
    lcp_ms: float | None
    cls: float | None
    inp_ms: float | None
    lcp_element: str = ""
    lcp_url: str = ""
    inp_target: str = ""
    cls_source: str = ""
    lcp_id: str = ""
    lcp_size: float | None = None
    """Visible area in CSS pixels."""
    inp_type: str = ""
    inp_at_ms: float | None = None
    """Start of the interaction, since the start of the view."""
    cls_sources: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Resource(LoadedFile):
    status_code: int
    delay_ms: float | None
    """For a blocking one: its loading time before the first contentful paint."""
    spans: Sequence[ServerSpan] = ()


@dataclass(frozen=True, slots=True)
class Waterfall:
    view: PageView
    resources: list[Resource]
    document_spans: Sequence[ServerSpan]
    """Spans of the backend that rendered the page."""
    is_cut: bool
    """True if more was loaded than is listed."""
    later_calls: Sequence[LaterCall] = ()
    """Calls of the trace that are no part of the load, because they began after its end."""
    frames: Sequence[LongFrame] = ()
    """Long animation frames in order of start."""
    lcp_parts: LcpParts = NO_LCP_PARTS
    inp_parts: InpParts = NO_INP_PARTS
    inp_frame: LongFrame | None = None
    """The frame that the interaction of the INP waited for; None: none was sent."""

    @property
    def end_ms(self) -> float:
        """The end of the last vital, load or long frame listed."""
        return max([_end_ms(self.view, self.resources), *(frame.end_ms for frame in self.frames)])


@dataclass(frozen=True, slots=True)
class _Period:
    """The moments of receipt that can hold rows of one view."""

    since: datetime
    until: datetime

    def bound(self) -> dict[str, datetime]:
        return {"since": self.since, "until": self.until}

    @classmethod
    def around(cls, received_on: date | None) -> "_Period":
        if received_on is None:
            return cls(EPOCH, FAR)
        start = datetime.combine(received_on, time(), UTC)
        return cls(start - PART_WAITS, start + PART_WAITS + timedelta(days=1))


def waterfall(
    warehouse: Warehouse,
    projects: Sequence[int],
    view_id: str,
    received_on: date | None = None,
    trace_id: UUID = NO_TRACE,
    of_project: int | None = None,
) -> Waterfall:
    """The waterfall of a view, with servers of all these projects. `received_on` avoids a search through
    every kept day; `trace_id` lets servers be asked before the view is found. Wrong ones cost only time.
    `of_project` tells views with one id apart; else the first is meant. Raises PageViewNotFound."""
    number = _number(view_id)
    if received_on is not None and not EPOCH.date() < received_on < FAR.date():
        received_on = None
    period = _Period.around(received_on).bound()
    scope = {"projects": list(projects), "view_id": number, **period}
    if received_on is None:
        opening = _opening(_parts(warehouse, scope, of_project))
        if opening is None:
            raise PageViewNotFound(view_id)
        return waterfall(warehouse, projects, view_id, _received_on(opening), opening["trace_id"], of_project)
    pending_resources = submitted(
        lambda: warehouse.rows(sql.query("resources_of_view"), {**scope, "limit": MOST_COPIES})
    )
    pending_interactions = submitted(lambda: _interactions(warehouse, trace_id, scope))
    pending_spans = submitted(lambda: server_spans(warehouse, projects, trace_id, number, **period))
    parts = _parts(warehouse, scope, of_project)
    opening = _opening(parts)
    if opening is None or _received_on(opening) != received_on:
        return waterfall(warehouse, projects, view_id, of_project=of_project)
    if opening["trace_id"] != trace_id:
        return waterfall(warehouse, projects, view_id, received_on, opening["trace_id"], of_project)
    resources = pending_resources.result()
    parts, loaded, interactions = (
        [row for row in rows if _belongs(row, opening)]
        for rows in (parts, resources, pending_interactions.result())
    )
    spans = pending_spans.result()
    once = _once(loaded)
    view = _view(view_id, opening, parts, interactions)
    started_us = round(opening["started_at_ms"] * 1000)
    listed = [_resource(row, started_us, view, spans) for row in once[:MOST_RESOURCES]]
    frames = _with_sources(warehouse, opening["project_id"], _frames(opening, parts))
    frame = frame_of_interaction(view.inp_at_ms, view.inp_ms, frames)
    return Waterfall(
        view=view,
        resources=listed,
        document_spans=spans.of_document(opening["parent_span_id"], view.ttfb_ms or 0.0, started_us),
        is_cut=len(once) > MOST_RESOURCES or len(resources) == MOST_COPIES,
        later_calls=spans.later_calls(_end_ms(view, listed), started_us),
        frames=frames,
        lcp_parts=lcp_parts(
            view.lcp_ms, view.ttfb_ms, view.lcp_element, view.lcp_url, _image(view.lcp_url, listed)
        ),
        inp_parts=inp_parts(view.inp_at_ms, view.inp_ms, frame),
        inp_frame=frame,
    )


def _end_ms(view: PageView, resources: Iterable[Resource]) -> float:
    vitals = (view.load_ms, view.dom_ready_ms, view.fcp_ms, view.lcp_ms, view.ttfb_ms)
    return max([1.0, *(one.end_ms for one in resources), *(one for one in vitals if one)])


def _parts(warehouse: Warehouse, scope: Parameters, of_project: int | None) -> list[Row]:
    rows = warehouse.rows(sql.query("parts_of_view"), scope)
    return _once(row for row in rows if of_project in (None, row["project_id"]))


def _opening(parts: Sequence[Row]) -> Row | None:
    return parts[0] if parts and parts[0]["is_load"] else None


def _belongs(row: Row, opening: Row) -> bool:
    """What came more than PART_WAITS from the opening counts nowhere."""
    distance: timedelta = abs(row["received_at"] - opening["received_at"])
    is_own: bool = row["project_id"] == opening["project_id"]
    return is_own and distance <= PART_WAITS


def _received_on(part: Row) -> date:
    return _aware(part["received_at"]).date()


def _once(rows: Iterable[Row]) -> list[Row]:
    """Items without copies: the first received of each, in the order read."""
    found: dict[object, Row] = {}
    for row in rows:
        found.setdefault(row["item_id"], row)
    return list(found.values())


def _number(view_id: str) -> int:
    try:
        number = int(view_id, 16)
    except ValueError:
        number = 0
    if not 0 < number < 1 << 64 or len(view_id) > 16:
        raise PageViewNotFound(view_id)
    return number


def _interactions(warehouse: Warehouse, trace_id: UUID, scope: Parameters) -> list[Row]:
    """Those of SDKs before 11, which name their trace alone: they belong to the view that was open, as in
    `page_loads`."""
    if not trace_id.int:
        return []
    parameters = {**scope, "trace_id": trace_id, "limit": MOST_INTERACTIONS}
    found = warehouse.rows(sql.query("interactions_of_trace"), parameters)
    openings = warehouse.rows(sql.query("openings_of_trace"), parameters) if found else []
    return [row for row in found if _open_view(openings, row) == scope["view_id"]]


def _open_view(openings: Sequence[Row], part: Row) -> int | None:
    """The last view to open before the part began; before all of them, the first."""
    own = [row for row in openings if row["project_id"] == part["project_id"]]
    opened = [row for row in own if row["started_at_ms"] <= part["started_at_ms"]] or own[:1]
    return opened[-1]["view_id"] if opened else None


def hex_or_empty(nil_or_known: UUID) -> str:
    return nil_or_known.hex if nil_or_known.int else ""


def _view(view_id: str, opening: Row, parts: Sequence[Row], interactions: Sequence[Row]) -> PageView:
    """The view, put together by the rules of `page_loads`, from the rows received until now."""
    kind = opening["navigation_type"]
    own = [row for row in parts if row["navigation_type"] in ("", kind)]
    start = opening["started_at_ms"]
    lcp = max(
        (row for row in own if not math.isnan(row["lcp_ms"])),
        key=lambda row: (row["occurred_at"], _order(row["item_id"])),
        default=None,
    )
    interaction = _part_of_largest([*own, *interactions], "inp_ms")
    shift = _part_of_largest(own, "cls")
    ttfb, response_at = _largest(own, "ttfb_ms"), _largest(own, "response_at_ms")
    return typed(
        PageView,
        opening,
        id=f"{_number(view_id):016x}",
        received_on=_received_on(opening),
        browser=f"{opening['browser']} {opening['browser_version']}".strip(),
        load_ms=_since(_largest(own, "load_at_ms"), start),
        ttfb_ms=ttfb if ttfb is not None else _since(response_at, start),
        dom_ready_ms=_since(_largest(own, "dom_ready_at_ms"), start),
        fp_ms=_largest(own, "fp_ms"),
        fcp_ms=_largest(own, "fcp_ms"),
        lcp_ms=lcp["lcp_ms"] if lcp else None,
        cls=shift["cls"] if shift else None,
        inp_ms=interaction["inp_ms"] if interaction else None,
        lcp_element=lcp["lcp_element"] if lcp else "",
        lcp_url=lcp["lcp_url"] if lcp else "",
        inp_target=str(interaction["inp_target"]) if interaction else "",
        cls_source=str(shift["cls_source"]) if shift else "",
        lcp_id=lcp["lcp_id"] if lcp else "",
        lcp_size=_known(lcp["lcp_size"]) if lcp else None,
        inp_type=str(interaction["inp_type"]) if interaction else "",
        inp_at_ms=_since(_known(interaction["inp_at_ms"]), start) if interaction else None,
        cls_sources=tuple(shift["cls_sources"]) if shift else (),
    )


def _frames(opening: Row, parts: Sequence[Row]) -> list[LongFrame]:
    """Of all parts of the view."""
    kind, start = opening["navigation_type"], opening["started_at_ms"]
    frames = [frame for row in parts if row["navigation_type"] in ("", kind) for frame in row["frames"]]
    names = ("duration_ms", "invoker", "invoker_type", "file", "function", "position")
    found = (LongFrame(round(one["start_ms"] - start, 3), *(one[name] for name in names)) for one in frames)
    return sorted(found, key=lambda frame: frame.offset_ms)


def _with_sources(warehouse: Warehouse, project_id: int, frames: Sequence[LongFrame]) -> list[LongFrame]:
    """With what is known of their scripts: original functions where a source map was uploaded."""
    places = {Place(frame.file, frame.position) for frame in frames}
    found = original_functions(warehouse, [project_id], places)
    answer = []
    for frame in frames:
        original = found.get(Place(frame.file, frame.position))
        script = known_script(frame.invoker, frame.file, frame.function, frame.position, original)
        answer.append(replace(frame, **asdict(script)))
    return answer


def _image(url: str, resources: Iterable[Resource]) -> tuple[float, float] | None:
    """Start and end of the first request for the image; SDKs before 10 leave out the page's own host."""
    same = (one for one in resources if one.url in (url, path_of(url)) and url)
    first = min(same, key=lambda one: one.offset_ms, default=None)
    return None if first is None else (first.offset_ms, first.end_ms)


def _resource(row: Row, started_us: int, view: PageView, spans: TraceSpans) -> Resource:
    offset, duration = round((row["start_us"] - started_us) / 1000, 3), row["duration_ms"]
    painted = view.fcp_ms if view.fcp_ms is not None else math.inf
    delay = max(0.0, min(offset + duration, painted) - offset) if row["is_render_blocking"] else None
    return typed(
        Resource,
        row,
        offset_ms=offset,
        delay_ms=None if delay is None else round(delay, 3),
        spans=spans.of_call(row["item_id"], offset, duration, started_us) if row["type"] == "api" else (),
    )


def _order(item_id: UUID) -> tuple[int, int]:
    """The order of `reinterpretAsUInt128`, by which `page_loads` chooses among parts of one moment."""
    return item_id.int & ((1 << 64) - 1), item_id.int >> 64


def _largest(rows: Iterable[Row], column: str) -> float | None:
    return max((row[column] for row in rows if not math.isnan(row[column])), default=None)


def _part_of_largest(rows: Iterable[Row], column: str) -> Row | None:
    """The part with the largest value; of equal ones the latest, as in `page_loads`."""
    known = (row for row in rows if not math.isnan(row[column]))
    return max(known, key=lambda row: (row[column], row["occurred_at"], _order(row["item_id"])), default=None)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _since(moment: float | None, start: float) -> float | None:
    return None if moment is None else round(moment - start, 3)


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC)
