"""Page views received since a build, with their parts: kept between questions.

Of what came, only the last moments are read again; what came before of the same views is asked once for each.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from threading import Lock
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import MOST_IDS, Warehouse
from errata.warehouse.late_rows import PART_WAITS
from errata.warehouse.queries.built_days import BuildsAway
from errata.warehouse.queries.late_copies import first_arrivals
from errata.warehouse.queries.page_view import NO_TRACE, Part, View, moment_of
from errata.warehouse.queries.progress import Progress
from errata.warehouse.queries.receipts import STILL_COMING

# More than this is no edge: the builds are away.
MOST_PARTS = 50_000
FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
Key = tuple[int, int]
Trace = tuple[int, UUID]
Copy = tuple[int, UUID, int, int]


@dataclass
class PageViewEdge:
    """Of some projects, of what was received from a moment on that every build has met, and of what builds
    left to later ones before. Thread-safe."""

    warehouse: Warehouse
    projects: Sequence[int]
    progress: Progress
    _copies: set[Copy] = field(default_factory=set)
    _views: dict[tuple[int, UUID, date], View] = field(default_factory=dict)
    _by_id: dict[Key, list[View]] = field(default_factory=dict)
    _parts: dict[Key, list[Part]] = field(default_factory=dict)
    _of_trace: dict[Trace, list[Part]] = field(default_factory=dict)
    _by_trace: dict[Trace, list[View]] = field(default_factory=dict)
    _openings: dict[Trace, list[tuple[float, int]]] = field(default_factory=dict)
    _read_from: datetime | None = None
    _lock: Lock = field(default_factory=Lock)

    def views(self) -> list[View]:
        """As of now, each once a day. Raises BuildsAway."""
        with self._lock:
            begun = self._read_from or self.progress.complete_through
            rows = self._rows(begun, FOR_EVER, is_all=True, limit=MOST_PARTS + 1)
            if self.progress.waiting and self._read_from is None:
                rows += self._left_out()
            if len(self._copies) + len(rows) > MOST_PARTS:
                raise BuildsAway
            new = self._take(rows)
            for start in range(0, len(new), MOST_IDS):
                self._look_back(new[start : start + MOST_IDS])
            self._find_owners()
            if rows:
                latest = moment_of(max(row.received for row in rows)) - STILL_COMING
                self._read_from = max(begun, min(latest, datetime.now(UTC) - STILL_COMING))
            return list(self._views.values())

    def _left_out(self) -> list[Part]:
        """Loads that a build left to a later one; their parts, and copies, are looked back for."""
        progress = self.progress
        days = {one.day for one in progress.waiting}
        return self._rows(progress.received_from, progress.complete_through, days=days)

    def _rows(
        self,
        received_from: datetime,
        received_until: datetime,
        *,
        is_all: bool = False,
        days: Iterable[date] = (),
        views: Iterable[int] = (),
        traces: Iterable[UUID] = (),
        limit: int = MOST_PARTS * 10,
    ) -> list[Part]:
        columns = self.warehouse.columns(
            sql.query("page_view_parts"),
            {
                "projects": list(self.projects),
                "received_from": received_from,
                "received_until": received_until,
                "is_all": is_all,
                "days": sorted(days),
                "views": list(views),
                "traces": [str(trace) for trace in traces],
                "limit": limit,
            },
        )
        return list(map(Part, *columns.values())) if columns else []

    def _take(self, rows: Iterable[Part]) -> list[View]:
        """The views among them that were not known."""
        new = list[View]()
        for row in rows:
            copy = row.project_id, row.item_id, row.received, row.occurred
            if copy in self._copies:
                continue
            self._copies.add(copy)
            self._put(row)
            if row.is_load:
                new += self._opened(row)
        return new

    def _put(self, row: Part) -> None:
        if row.view_id:
            key = row.project_id, row.view_id
            self._parts.setdefault(key, []).append(row)
            for view in self._by_id.get(key, ()):
                view.forget()
        elif row.trace_id != NO_TRACE:
            trace = row.project_id, row.trace_id
            self._of_trace.setdefault(trace, []).append(row)
            for view in self._by_trace.get(trace, ()):
                view.forget()

    def _opened(self, row: Part) -> Iterator[View]:
        trace = row.project_id, row.trace_id
        if trace in self._openings:
            _insert(self._openings[trace], (row.started_at_ms, row.view_id))
        known = self._views.get((row.project_id, row.item_id, row.day))
        if known is not None:
            known.received_also(row)
            return
        view = View(row, self)
        self._views[row.project_id, row.item_id, row.day] = view
        self._by_id.setdefault((row.project_id, row.view_id), []).append(view)
        of_trace = self._by_trace.setdefault(trace, [])
        of_trace.append(view)
        for other in of_trace:
            # A part that names its trace alone may be the new one's.
            other.forget()
        yield view

    def _look_back(self, views: Sequence[View]) -> None:
        """What came of them before: earlier parts, and earlier copies of the views themselves."""
        days = sorted({view.day for view in views})
        known = first_arrivals(self.warehouse, "page_metrics_daily", self.progress.complete_through, days)
        parts_from = self.progress.received_from - PART_WAITS
        since = {day: min(known[day], parts_from) for day in days}
        for earliest in set(since.values()):
            asked = [view.load for view in views if since[view.day] == earliest]
            self._take_earlier(
                self._rows(
                    earliest,
                    self.progress.complete_through,
                    views={load.view_id for load in asked} - {0},
                    traces={load.trace_id for load in asked} - {NO_TRACE},
                )
            )

    def _take_earlier(self, rows: Iterable[Part]) -> None:
        for row in rows:
            copy = row.project_id, row.item_id, row.received, row.occurred
            if copy in self._copies:
                continue
            self._copies.add(copy)
            self._put(row)
            view = self._views.get((row.project_id, row.item_id, row.day))
            if row.is_load and view is not None:
                view.received_also(row)

    def _find_owners(self) -> None:
        """Where a part names its trace alone: the views of that trace, those of before too."""
        asked = [trace for trace in self._of_trace if trace in self._by_trace and trace not in self._openings]
        for start in range(0, len(asked), MOST_IDS):
            self._ask_openings(asked[start : start + MOST_IDS])

    def _ask_openings(self, traces: Sequence[Trace]) -> None:
        columns = self.warehouse.columns(
            sql.query("page_view_openings"),
            {
                "projects": list(self.projects),
                "received_from": self.progress.received_from - PART_WAITS,
                "traces": [str(trace) for _, trace in traces],
            },
        )
        for trace in traces:
            self._openings[trace] = []
        for project_id, trace_id, started, view_id in zip(*columns.values(), strict=True):
            if (project_id, trace_id) in self._openings:
                _insert(self._openings[project_id, trace_id], (started, view_id))
        for trace in traces:
            for view in self._by_trace[trace]:
                view.forget()

    def parts_of(self, view: View) -> Iterator[Part]:
        load = view.load
        trace = load.project_id, load.trace_id
        yield from self._parts.get((load.project_id, load.view_id), ())
        for part in self._of_trace.get(trace, ()):
            if _owner(part, self._openings.get(trace, ())) == load.view_id:
                yield part


def _owner(part: Part, opened: Sequence[tuple[float, int]]) -> int:
    """The view of its trace that was open when it happened."""
    before = [view_id for started, view_id in opened if started <= part.started_at_ms]
    return before[-1] if before else opened[0][1] if opened else 0


def _insert(opened: list[tuple[float, int]], one: tuple[float, int]) -> None:
    if one not in opened:
        insort(opened, one)


# Few builds are asked about at a time.
@lru_cache(maxsize=8)
def _page_view_edge(warehouse: Warehouse, projects: tuple[int, ...], progress: Progress) -> PageViewEdge:
    return PageViewEdge(warehouse, projects, progress)


def page_view_edge(warehouse: Warehouse, projects: tuple[int, ...], progress: Progress) -> PageViewEdge:
    """The same for builds that are as far."""
    return _page_view_edge(warehouse, projects, replace(progress, as_of=None))
