"""The limit of monitors a project: check-ins of more are counted and not stored."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import Any

from api.ingest.check_in_rows import slug_of
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.monitors.monitors import MOST_MONITORS, slugs_of_project

TOO_MANY_MONITORS = "too_many_monitors"
KNOWN_PROJECTS_MAX = 10_000
# The monitors of a full project are read again after so long: the rows of some may have expired.
ASKED_AGAIN_AFTER = timedelta(minutes=5).total_seconds()


@dataclass
class Known:
    slugs: set[str]
    asked_at: float


@dataclass
class MonitorRegistry:
    """The monitors of projects. Thread-safe; asks the warehouse for those of a project once, and again where
    there are too many. `declared`: the names of those that a project has declared, which count first."""

    warehouse: Warehouse
    declared: Callable[[int], Collection[str]]
    _known: dict[int, Known] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def admits(self, project_id: int, payload: dict[str, Any]) -> bool:
        """Whether a check-in is of a known monitor, or of one more within the limit."""
        slug, known = slug_of(payload), self._known.get(project_id)
        if known is not None and slug in known.slugs:
            return True
        is_full = known is not None and len(known.slugs) >= MOST_MONITORS
        declared: Collection[str] = ()
        # Outside of the lock: callers with a known project need no response of a database.
        if known is None or (is_full and monotonic() - known.asked_at > ASKED_AGAIN_AFTER):
            known = self._asked(project_id)
        elif not is_full:
            declared = self.declared(project_id)
        with self._lock:
            known.slugs.update(declared)
            if slug not in known.slugs and len(known.slugs) >= MOST_MONITORS:
                return False
            known.slugs.add(slug)
            return True

    def _asked(self, project_id: int) -> Known:
        declared = self.declared(project_id)
        known = Known(set(slugs_of_project(self.warehouse, project_id, declared)), monotonic())
        with self._lock:
            if len(self._known) >= KNOWN_PROJECTS_MAX:
                self._known.clear()
            self._known[project_id] = known
        return known
