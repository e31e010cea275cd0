"""Monitors and their runs in words."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.monitors.history import MonitorState
from errata.monitors.reception import Reception
from errata.monitors.run import Run, RunState
from errata.reports import formats
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.monitors.monitors import Monitor, current_monitors, monitors_of_project

RUN_WORDS = {
    RunState.IN_PROGRESS: "Running",
    RunState.OK: "OK",
    RunState.ERROR: "Error",
    RunState.TIMEOUT: "Timed out",
    RunState.MISSED: "Missed",
    RunState.UNKNOWN: "Unknown: host silent",
    RunState.SERVICE_AWAY: "Unknown: service away",
}
STATE_WORDS = {
    MonitorState.FAILING: "Failing",
    MonitorState.UNKNOWN: "Unknown",
    MonitorState.WAITING: "Waiting",
    MonitorState.OK: "OK",
    MonitorState.INACTIVE: "Inactive",
}
# In the order of the list: what needs somebody comes first.
ORDER = list(MonitorState)
CELLS = 50
MONITORS_A_PAGE = 50
CURSOR = re.compile("[0-9]{1,4}")


@dataclass(frozen=True)
class ShownRun:
    run: Run

    @property
    def words(self) -> str:
        return RUN_WORDS[self.run.state]


@dataclass(frozen=True)
class ShownMonitor:
    monitor: Monitor

    @property
    def words(self) -> str:
        return STATE_WORDS[self.monitor.history.state]

    @property
    def schedule_words(self) -> str:
        config = self.monitor.config
        return config.schedule.words if config else "No schedule sent"

    @property
    def last(self) -> ShownRun | None:
        """None: no run was expected yet."""
        run = self.monitor.last_run
        return ShownRun(run) if run else None

    @property
    def cells(self) -> Sequence[ShownRun]:
        """The latest runs, the earliest first."""
        return [ShownRun(run) for run in self.monitor.history.runs[-CELLS:]]

    @property
    def cells_words(self) -> str:
        if not self.cells:
            return "No runs yet"
        counts = Counter(cell.words for cell in self.cells)
        told = ", ".join(f"{formats.count(count)} {words}" for words, count in counts.most_common())
        return f"Latest runs, newest last: {told}"

    @property
    def runs(self) -> Sequence[ShownRun]:
        """Newest first."""
        return [ShownRun(run) for run in reversed(self.monitor.history.runs)]

    def is_due(self, now: datetime) -> bool:
        expected = self.monitor.history.next_expected_at
        return expected is not None and expected <= now


def ordered(monitors: Iterable[Monitor]) -> Sequence[Monitor]:
    """Those that need somebody first, then by name."""
    return sorted(monitors, key=lambda one: (ORDER.index(one.history.state), *one.key))


def shown(monitors: Iterable[Monitor]) -> Sequence[ShownMonitor]:
    return [ShownMonitor(one) for one in ordered(monitors)]


@dataclass(frozen=True)
class MonitorPage:
    """`next_cursor` is empty on the last page."""

    monitors: Sequence[ShownMonitor]
    next_cursor: str


def page_of(
    warehouse: Warehouse, project_id: int, now: datetime, reception: Reception, cursor: str
) -> MonitorPage:
    """All monitors are ordered by their states; those shown have their latest runs."""
    found = ordered(current_monitors(warehouse, project_id, now, reception))
    asked = int(cursor) if CURSOR.fullmatch(cursor) else 0
    begin = asked if asked < len(found) else 0
    end = begin + MONITORS_A_PAGE
    keys = [one.key for one in found[begin:end]]
    slugs = sorted({slug for slug, _environment in keys})
    whole = monitors_of_project(warehouse, project_id, now, reception, slugs) if slugs else []
    return MonitorPage(shown(one for one in whole if one.key in keys), str(end) if len(found) > end else "")
