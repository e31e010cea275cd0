"""API calls received since a build, each once: kept between questions, as page views are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from threading import Lock
from typing import NamedTuple
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import MOST_IDS, Warehouse
from errata.warehouse.queries.built_days import BuildsAway
from errata.warehouse.queries.late_copies import first_arrivals
from errata.warehouse.queries.page_view import day_of, moment_of
from errata.warehouse.queries.progress import Progress
from errata.warehouse.queries.receipts import STILL_COMING

MOST_CALLS = 50_000
FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)


Key = tuple[int, UUID, date]
"""Of a day: a call whose copies name several counts on each."""


class Call(NamedTuple):
    """As it was received. Moments are milliseconds."""

    project_id: int
    item_id: UUID
    side: str
    host: str
    method: str
    route: str
    path: str
    occurred: int
    received: int
    environment: str
    release: str
    status_code: int
    duration_ms: float

    @property
    def day(self) -> date:
        return day_of(self.occurred)

    @property
    def key(self) -> "Key":
        return self.project_id, self.item_id, self.day


@dataclass
class CallEdge:
    """Of some projects, of what was received from a moment on that every build has met, and of what builds
    left to later ones before. Thread-safe."""

    warehouse: Warehouse
    projects: Sequence[int]
    progress: Progress
    _firsts: dict[Key, Call] = field(default_factory=dict)
    _read_from: datetime | None = None
    _lock: Lock = field(default_factory=Lock)

    def calls(self) -> list[Call]:
        """As of now, each once a day: of copies the one received first, be it before. Raises BuildsAway."""
        with self._lock:
            begun = self._read_from or self.progress.complete_through
            rows = self._rows(begun, FOR_EVER, is_all=True, limit=MOST_CALLS + 1)
            if self.progress.waiting and self._read_from is None:
                rows += self._left_out()
            if len(self._firsts) + len(rows) > MOST_CALLS:
                raise BuildsAway
            new = [row for row in rows if row.key not in self._firsts]
            self._take(rows)
            for start in range(0, len(new), MOST_IDS):
                self._look_back(new[start : start + MOST_IDS])
            if rows:
                latest = moment_of(max(row.received for row in rows)) - STILL_COMING
                self._read_from = max(begun, min(latest, datetime.now(UTC) - STILL_COMING))
            return list(self._firsts.values())

    def _left_out(self) -> list[Call]:
        """Those that a build left to a later one; earlier copies are looked back for."""
        progress = self.progress
        days = {one.day for one in progress.waiting}
        return self._rows(progress.received_from, progress.complete_through, days=days)

    def _rows(
        self,
        received_from: datetime,
        received_until: datetime,
        copies_of: Sequence[Call] = (),
        *,
        is_all: bool = False,
        days: Iterable[date] = (),
        limit: int = MOST_CALLS * 10,
    ) -> list[Call]:
        columns = self.warehouse.columns(
            sql.query("calls_received"),
            {
                "projects": list(self.projects),
                "received_from": received_from,
                "received_until": received_until,
                "is_all": is_all,
                "days": sorted(days),
                "copied_days": sorted({call.day for call in copies_of}),
                "item_ids": [str(call.item_id) for call in copies_of],
                "limit": limit,
            },
        )
        return list(map(Call, *columns.values())) if columns else []

    def _take(self, calls: Iterable[Call]) -> None:
        for call in calls:
            known = self._firsts.get(call.key)
            if known is None or (call.received, call.occurred) < (known.received, known.occurred):
                self._firsts[call.key] = call

    def _look_back(self, calls: Sequence[Call]) -> None:
        """For copies that came before."""
        days = sorted({call.day for call in calls})
        known = first_arrivals(self.warehouse, "endpoint_metrics_daily", self.progress.complete_through, days)
        for earliest in {known[day] for day in days}:
            asked = [call for call in calls if known[call.day] == earliest]
            if earliest < self.progress.complete_through:
                self._take(self._rows(earliest, self.progress.complete_through, asked))


# Few builds are asked about at a time.
@lru_cache(maxsize=8)
def _call_edge(warehouse: Warehouse, projects: tuple[int, ...], progress: Progress) -> CallEdge:
    return CallEdge(warehouse, projects, progress)


def call_edge(warehouse: Warehouse, projects: tuple[int, ...], progress: Progress) -> CallEdge:
    """The same for builds that are as far."""
    return _call_edge(warehouse, projects, replace(progress, as_of=None))
