"""Changes of the input of a background job: a cheap probe before expensive work."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# Rows carry the moment at which their insert began, and are visible when it ends: 20 s later at most.
SHOWN_WITHIN = timedelta(seconds=60)
# For everything else that may change a result: it is computed again after this time.
TRUSTED_FOR_SECONDS = 600.0
COUNTS = ("event_count", "action_count", "mapping_count", "switch_count", "upload_count")


@dataclass(frozen=True)
class Probe:
    """Counts at one moment; events are counted from `since` on."""

    asked_at: datetime
    since: datetime
    counts: tuple[int, ...]
    about: Hashable
    at_seconds: float


class Changes:
    """The changes seen by one job: `probe`, do the work, and `note` the probe when it is done."""

    def __init__(self, warehouse: Warehouse, clock: Callable[[], float] = time.monotonic) -> None:
        self._warehouse = warehouse
        self._clock = clock
        self._noted: Probe | None = None

    def probe(self, projects: Sequence[int], about: Hashable = None) -> Probe | None:
        """The current counts; None if nothing has changed since the noted probe. `about`: further input of
        the job."""
        noted, about = self._noted, (tuple(projects), about)
        since = noted.since if noted else datetime.now(UTC)
        found = self._fetch(projects, since)
        if noted and self._is_as_noted(noted, _counts(found), about):
            return None
        asked_at = utc(found["asked_at"])
        since = asked_at - SHOWN_WITHIN
        return Probe(asked_at, since, _counts(self._fetch(projects, since)), about, self._clock())

    def note(self, probe: Probe) -> None:
        self._noted = probe

    @property
    def noted_at(self) -> datetime | None:
        """The moment of the noted probe, by the warehouse's clock."""
        return self._noted.asked_at if self._noted else None

    def _is_as_noted(self, noted: Probe, counts: tuple[int, ...], about: Hashable) -> bool:
        is_fresh = self._clock() - noted.at_seconds < TRUSTED_FOR_SECONDS
        return is_fresh and (noted.counts, noted.about) == (counts, about)

    def _fetch(self, projects: Sequence[int], since: datetime) -> Row:
        parameters = {"projects": list(projects), "since": since}
        rows = self._warehouse.rows(sql.query("changes_of_projects"), parameters)
        of_all = {name: sum(row[name] for row in rows) for name in COUNTS}
        return {"asked_at": min(row["asked_at"] for row in rows), **of_all}


def _counts(row: Row) -> tuple[int, ...]:
    return tuple(row[name] for name in COUNTS)
