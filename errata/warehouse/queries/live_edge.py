"""The live edge of a project: the events received since a build, each once.

Kept between questions: of what came, only the last moments are read again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from threading import Lock
from typing import Any
from uuid import UUID

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import MOST_IDS, Warehouse
from errata.warehouse.queries.earliest_copies import earliest_copies
from errata.warehouse.queries.moved_issues import Moment
from errata.warehouse.queries.receipts import STILL_COMING

# More than this is no edge: the builds are away.
MOST_ARRIVALS = 50_000


@dataclass(frozen=True)
class Copy:
    """Of an event, as it was received."""

    item_id: UUID
    variant_hash: int
    occurred_at: datetime
    received_at: datetime
    environment: str
    release: str
    user_hash: int

    @classmethod
    def of(cls, values: Sequence[Any]) -> "Copy":
        item_id, variant_hash, occurred_at, received_at, *rest = values
        return cls(item_id, variant_hash, utc(occurred_at), utc(received_at), *rest)

    @property
    def order(self) -> tuple[datetime, datetime, int, str, str, int]:
        """By which the first of copies is known: as models order them."""
        return (
            *(self.received_at, self.occurred_at, self.variant_hash),
            *(self.environment, self.release, self.user_hash),
        )


@dataclass(frozen=True)
class Arrivals:
    """`firsts`: events that no build has, of copies the one received first. `copy_count`: of all copies."""

    moment: Moment
    copy_count: int
    firsts: Sequence[Copy]


@dataclass
class LiveEdge:
    """Thread-safe."""

    warehouse: Warehouse
    project_id: int
    counted_through: datetime
    _copies: set[Copy] = field(default_factory=set)
    _firsts: dict[UUID, Copy] = field(default_factory=dict)
    _is_in_a_build: dict[UUID, bool] = field(default_factory=dict)
    _read_from: datetime | None = None
    _lock: Lock = field(default_factory=Lock)

    def arrivals(self) -> Arrivals | None:
        """As of now, by the warehouse's clock; None where more has come than an edge can hold."""
        with self._lock:
            (row,) = self.warehouse.rows(
                sql.query("arrivals_of_project"),
                {"project_id": self.project_id, "received_from": self._read_from or self.counted_through},
            )
            if len(row["copies"]) + len(self._copies) > MOST_ARRIVALS:
                return None
            moment = Moment(utc(row["asked_at"]), row["event_count"])
            self._take(map(Copy.of, row["copies"]))
            self._read_from = max(self.counted_through, self._still_coming(moment.asked_at))
            firsts = [copy for copy in self._firsts.values() if not self._is_in_a_build[copy.item_id]]
            return Arrivals(moment, len(self._copies), firsts)

    def _still_coming(self, asked_at: datetime) -> datetime:
        latest = max((copy.received_at for copy in self._copies), default=asked_at)
        return min(latest, asked_at) - STILL_COMING

    def _take(self, copies: Iterable[Copy]) -> None:
        for copy in copies:
            self._copies.add(copy)
            known = self._firsts.get(copy.item_id)
            if known is None or copy.order < known.order:
                self._firsts[copy.item_id] = copy
        waiting = [copy for item_id, copy in self._firsts.items() if item_id not in self._is_in_a_build]
        for first in range(0, len(waiting), MOST_IDS):
            self._compare(waiting[first : first + MOST_IDS])

    def _compare(self, copies: Sequence[Copy]) -> None:
        """With what was received before the build."""
        rows = earliest_copies(
            self.warehouse,
            self.project_id,
            self.counted_through,
            [copy.item_id for copy in copies],
            {copy.occurred_at for copy in copies},
            min(copy.received_at for copy in copies),
        )
        counted_through = round(self.counted_through.timestamp() * 1000)
        for row in rows:
            self._is_in_a_build[row["item_id"]] = row["received_at"] < counted_through


# A build never changes, and few are asked about at a time.
@lru_cache(maxsize=8)
def live_edge(warehouse: Warehouse, project_id: int, counted_through: datetime) -> LiveEdge:
    return LiveEdge(warehouse, project_id, counted_through)
