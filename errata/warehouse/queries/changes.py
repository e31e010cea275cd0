"""Whether anything came in or was decided since it was looked at last: asked before what costs more."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse

# Rows carry the moment at which their insert began, and show when it has ended: 20 s later at most.
SHOWN_WITHIN = timedelta(seconds=60)
# Whatever else may change an answer, it is asked for again after so long.
TRUSTED_FOR_SECONDS = 600.0
COUNTS = ("event_count", "action_count", "mapping_count", "switch_count")


@dataclass(frozen=True)
class Look:
    """What was there at one moment; events are counted from `since` on."""

    asked_at: datetime
    since: datetime
    counts: tuple[int, ...]
    about: Hashable
    at_seconds: float


class Changes:
    """Of one reader: `look`, do what there is to do, and `note` the look when that is done."""

    def __init__(self, warehouse: Warehouse, clock: Callable[[], float] = time.monotonic) -> None:
        self._warehouse = warehouse
        self._clock = clock
        self._noted: Look | None = None

    def look(self, projects: Sequence[int], about: Hashable = None) -> Look | None:
        """None: nothing has changed since what was noted. `about` is what else the answer depends on."""
        noted, about = self._noted, (tuple(projects), about)
        since = noted.since if noted else datetime.now(UTC)
        found = self._asked(projects, since)
        if noted and self._is_as_noted(noted, _counts(found), about):
            return None
        asked_at = utc(found["asked_at"])
        since = asked_at - SHOWN_WITHIN
        return Look(asked_at, since, _counts(self._asked(projects, since)), about, self._clock())

    def note(self, look: Look) -> None:
        self._noted = look

    @property
    def noted_at(self) -> datetime | None:
        """By the warehouse's clock."""
        return self._noted.asked_at if self._noted else None

    def _is_as_noted(self, noted: Look, counts: tuple[int, ...], about: Hashable) -> bool:
        is_fresh = self._clock() - noted.at_seconds < TRUSTED_FOR_SECONDS
        return is_fresh and (noted.counts, noted.about) == (counts, about)

    def _asked(self, projects: Sequence[int], since: datetime) -> Row:
        parameters = {"projects": list(projects), "since": since}
        return self._warehouse.rows(sql.query("changes_of_projects"), parameters)[0]


def _counts(row: Row) -> tuple[int, ...]:
    return tuple(row[name] for name in COUNTS)
