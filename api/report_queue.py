"""Reports that pages wait for: made in the background, one at a time, by turns of organizations.

Any node makes what it is asked for, so a report that two nodes are asked for is made by both.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from api.errors import TooManyAtOnce
from errata.errors import ErrataError
from errata.reports.printing import NotPrinted
from errata.reports.report_file import ReportFile
from errata.warehouse.client import NoAnswerInTime
from errata.warehouse.published import one_snapshot

log = logging.getLogger("api")

KEPT_SECONDS = 300.0
MOST_OF_AN_ORGANIZATION = 40
ATTEMPTS = 3
PAUSE_SECONDS = 2.0


@dataclass(eq=False)
class WaitingReport:
    """`file` or `error` once it has ended."""

    organization_id: int
    make: Callable[[], ReportFile]
    is_begun: bool = False
    ended_at: float | None = None
    file: ReportFile | None = None
    error: ErrataError | None = None


class ReportQueue:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._reports: dict[Hashable, WaitingReport] = {}
        self._turns: dict[int, float] = {}
        self._is_running = False

    def report(
        self, organization_id: int, key: Hashable, make: Callable[[], ReportFile]
    ) -> tuple[WaitingReport, int]:
        """The report, begun unless it is known, and how many come before it.

        Raises the error that it ended with; then it can be begun anew. Raises TooManyAtOnce.
        """
        with self._lock:
            now = self._clock()
            for known, each in list(self._reports.items()):
                if each.ended_at is not None and now - each.ended_at > KEPT_SECONDS:
                    del self._reports[known]
            own = [each for each in self._reports.values() if each.organization_id == organization_id]
            found = self._reports.get(key)
            if found is None:
                if len(own) >= MOST_OF_AN_ORGANIZATION:
                    raise TooManyAtOnce
                found = self._reports[key] = WaitingReport(organization_id, make)
                own.append(found)
                self._start()
            if found.error is not None:
                del self._reports[key]
                raise found.error
            return found, sum(each.ended_at is None for each in own[: own.index(found)])

    def _start(self) -> None:
        if not self._is_running:
            self._is_running = True
            threading.Thread(target=self._run, name="reports", daemon=True).start()

    def _run(self) -> None:
        while (report := self._next()) is not None:
            try:
                report.file = _made(report.make)
            except ErrataError as error:
                report.error = error
            except Exception:
                log.exception("A report failed unexpectedly")
                report.error = NotPrinted("internal error")
            report.ended_at = self._clock()

    def _next(self) -> WaitingReport | None:
        """The oldest report of the organization whose last one began the longest ago."""
        with self._lock:
            waiting = [each for each in self._reports.values() if not each.is_begun]
            if not waiting:
                self._is_running = False
                self._turns.clear()
                return None
            report = min(waiting, key=lambda each: self._turns.get(each.organization_id, 0.0))
            report.is_begun = True
            self._turns[report.organization_id] = self._clock()
            return report


def _made(make: Callable[[], ReportFile]) -> ReportFile:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with one_snapshot():
                return make()
        except (NoAnswerInTime, NotPrinted):
            if attempt == ATTEMPTS:
                raise
            time.sleep(PAUSE_SECONDS * attempt)
    raise AssertionError
