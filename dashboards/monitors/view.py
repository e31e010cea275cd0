"""Monitors and their runs in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from errata.monitors.history import MonitorState, Run, RunState
from errata.reports import formats
from errata.warehouse.queries.monitors.monitors import Monitor

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
    def last(self) -> ShownRun:
        return ShownRun(self.monitor.last_run)

    @property
    def cells(self) -> Sequence[ShownRun]:
        """The latest runs, the earliest first."""
        return [ShownRun(run) for run in self.monitor.history.runs[-CELLS:]]

    @property
    def cells_words(self) -> str:
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


def shown(monitors: Sequence[Monitor]) -> Sequence[ShownMonitor]:
    """Those that need somebody first, then by name."""
    found = sorted(monitors, key=lambda one: (ORDER.index(one.history.state), one.slug, one.environment))
    return [ShownMonitor(one) for one in found]
