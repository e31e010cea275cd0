"""One build of one mart, by schedule or by hand: its windows, their rows under new versions, and their
publication."""

import hashlib
import logging
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from errata.clock import EPOCH, utc
from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.disk import BUILDS_BOUND, Bound, DiskFull
from errata.warehouse.published import NOTHING
from errata.warehouse.queries.delivery.set_aside import SetAside, standing
from pipelines.builder.attempt import Attempt
from pipelines.builder.build_log import BuildLog
from pipelines.builder.deferral import Plan, plan, with_arrived
from pipelines.builder.expired import expired_rows
from pipelines.builder.filling import Filling, each_at_once
from pipelines.builder.lease import Lease, Pace
from pipelines.builder.mart import BuildReport, Mart, Window
from pipelines.builder.receipt_days import spanned
from pipelines.builder.set_aside import recovered, set_aside
from pipelines.builder.spans import INSERTS_AT_ONCE, spans, together

log = logging.getLogger("errata.builds")

CATCHING_UP = timedelta(days=1)
CORES = 2


class NotBuilt(ErrataError):
    """The mart has no first build yet, so its windows are unknown."""

    code = "mart_not_built"

    def __init__(self, mart: str) -> None:
        super().__init__(f"{mart} has never been built: bring it up to date first, then rebuild days of it")
        self.mart = mart


def build(
    warehouse: Warehouse,
    mart: Mart,
    pace: Pace | None = None,
    bound: Bound = BUILDS_BOUND,
    is_patient: bool = True,
    days: Collection[date] | None = None,
    since: datetime | None = None,
) -> BuildReport:
    """Brings a mart up to now less the lag; with `days`, computes exactly their windows anew; with `since`,
    also the windows of all rows that say they were received from then on, such as rows of another shard.

    Large totals wait for more rows, and some days with late rows wait for later builds, unless not
    `is_patient`. Raises LeaseHeld if another build of the mart outlasts the wait, DiskFull if its rows would
    take space that must stay free, and NotBuilt for days of a mart without a first build.
    """
    pace = pace or Pace()
    with leased(warehouse, mart, pace, bound) as work:
        work.is_patient = is_patient
        return work.run(pace.lag, since) if days is None else work.run_days(days)


@contextmanager
def leased(warehouse: Warehouse, mart: Mart, pace: Pace, bound: Bound) -> Iterator["Build"]:
    """A build that has the lease, with the remains of earlier attempts cleared."""
    attempt = Attempt(warehouse, mart)
    marts = [name for name in (mart.source, *mart.beside, mart.name) if name]
    with Lease(warehouse, marts, attempt.id, pace) as lease:
        attempt.clear_remains()
        try:
            yield Build(warehouse, mart, attempt, lease, bound)
        except DiskFull:
            # Dropped at once: the next build of this mart may come too late for deliveries that need the
            # space.
            attempt.drop()
            raise


@dataclass
class Build:
    warehouse: Warehouse
    mart: Mart
    attempt: Attempt
    lease: Lease
    bound: Bound = BUILDS_BOUND
    is_patient: bool = True
    is_anew: bool = False
    set_aside: Sequence[SetAside] = ()
    filling: Filling | None = None
    _started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        # Read before anything else: a table made anew meanwhile has another id.
        self._table_uuid = self.build_log.table_uuid()

    def run(self, lag: timedelta, again_since: datetime | None = None) -> BuildReport:
        through, until = self.build_log.built_through(), self._until(lag)
        since = through if again_since is None else min(through, again_since)
        self.is_anew = since == EPOCH or again_since is not None
        chosen = self.plan(since, until)
        self.set_aside = standing(self.attempt, self.mart.name)
        core_count = cores(since, until) if self.mart.has_known_memory else 1
        return self.publish(chosen, until, max(through, until), self._due(chosen, until), core_count)

    def run_days(self, days: Collection[date]) -> BuildReport:
        """The mart's watermark and its other days stay, and so do windows whose raw rows may be gone."""
        watermark = self.build_log.watermark(self.mart.name)
        if watermark == EPOCH:
            raise NotBuilt(self.mart.name)
        # A mart built from another one is computed from all published rows there.
        until = self.build_log.watermark(self.mart.source) if self.mart.source else watermark
        waiting = [one for one in self.build_log.waiting(self.mart.name) if one.start.date() not in days]
        self.set_aside = standing(self.attempt, self.mart.name)
        self.is_anew = True
        return self.publish(Plan(self._windows_of(days, until), waiting), until, watermark)

    def _windows_of(self, days: Collection[date], until: datetime) -> Sequence[Window]:
        if self.mart.source:
            known = sorted(self.build_log.published_days().intersection(days))
            # Of unknown size: an insert for each day.
            return [
                Window(start, EPOCH, until, self.mart.rows_an_insert // len(starts), frozenset())
                for starts in map(self.mart.windows_of, known)
                for start in starts
            ]
        starts = [start for day in sorted(days) for start in self.mart.windows_of(day)]
        # A killed build may have recorded arrivals that no build has counted yet.
        return [one for one in self.with_all_arrivals(starts, until) if one.first_received_at < until]

    def publish(
        self,
        chosen: Plan,
        until: datetime,
        watermark: datetime,
        again: Sequence[Window] = (),
        core_count: int = 1,
    ) -> BuildReport:
        """Builds the chosen windows from rows received before `until`, and publishes them. `again`: windows
        with rows set aside that are due."""
        windows = chosen.windows
        days = self.fill(windows, until, core_count, again) if windows or again else ()
        row_count, byte_count = self._size(days)
        report = BuildReport(
            mart=self.mart.name,
            watermark=watermark,
            windows=[window.start for window in windows],
            row_count=row_count,
            byte_count=byte_count,
            seconds=time.monotonic() - self._started,
            waiting=chosen.waiting,
            late=self.build_log.late(self.mart, chosen.waiting, watermark),
            set_aside_count=self._left_count(),
        )
        self.lease.check()
        # In this order, a kill between these three costs a retry at most: no failure is forgotten.
        self._record_failures()
        self.build_log.publish(report, self._table_uuid, days)
        self._record_recovered()
        log.info(
            "built %s through %s: %d windows, %d rows, %.1f s, %d windows wait",
            *(self.mart.name, report.watermark, len(windows), row_count, report.seconds),
            len(report.waiting),
        )
        return report

    @property
    def build_log(self) -> BuildLog:
        return BuildLog(self.attempt)

    def _until(self, lag: timedelta) -> datetime:
        if self.mart.source:
            return self.build_log.watermark(self.mart.source)
        return self.build_log.complete_through() - lag

    def plan(self, since: datetime, until: datetime) -> Plan:
        """The windows to build now, and those deferred."""
        waiting = self.build_log.waiting(self.mart.name) if self.mart.defers_late_days else []
        # A search without result: large totals that wait were seen, but not built.
        if until <= since and self.is_patient:
            return Plan([], waiting)
        if not self.mart.defers_late_days:
            return Plan(self.windows(since, until), [])
        dirty = with_arrived(waiting, self._arrived(since, until), since)
        windows = self.with_all_arrivals([one.start for one in dirty], until)
        return plan(windows, dirty, since, until) if self.is_patient else Plan(windows, [])

    def windows(self, since: datetime, until: datetime) -> list[Window]:
        """The dirty windows, each with its first and last arrival of all time."""
        arrived = self._arrived(since, until)
        if self.mart.source:
            return arrived
        return self.with_all_arrivals([window.start for window in arrived], until)

    def _arrived(self, since: datetime, until: datetime) -> list[Window]:
        """The windows of newly received rows, with the first and last arrival of these rows."""
        search = _hash(sql.query(self.mart.dirty))
        recorded: list[Window] = []
        if since == EPOCH and self.mart.raw:
            # A mart that is built anew knows the arrivals recorded before.
            since = self.build_log.take_over_arrivals(search) or EPOCH
            recorded = self.build_log.arrivals(self.build_log.recorded_windows()) if since != EPOCH else []
        oldest = self.mart.oldest_window(until)
        every = list(self._spans(since, until))
        each = each_at_once(
            self.attempt,
            self.mart,
            cores(since, until),
            every,
            lambda span: self._dirty(*span, oldest),
        )
        found = [window for windows in each for window in windows]
        if found and not self.mart.source:
            self.build_log.add_arrivals(found, search)
        return together([*recorded, *found])

    def _spans(self, since: datetime, until: datetime) -> Iterable[tuple[datetime, datetime]]:
        if not self.mart.raw:
            return [(since, until)]
        oldest = self.mart.oldest_window(until)
        if since < oldest:
            since = max(since, self.build_log.first_received_on(until))
        rows = self.build_log.rows_by_day(self.mart.raw)
        return spans(since, until, oldest, rows, INSERTS_AT_ONCE * self.mart.rows_an_insert)

    def with_all_arrivals(self, starts: Sequence[datetime], until: datetime) -> list[Window]:
        oldest = self.mart.oldest_window(until)
        recorded = self.build_log.arrivals(starts) if starts else []
        # A window with rows received before raw retention can no longer be computed from raw.
        return [window for window in recorded if min(window.start, window.first_received_at) >= oldest]

    def _dirty(self, since: datetime, until: datetime, oldest: datetime) -> list[Window]:
        span = {"since": since, "until": until, "oldest": oldest, "is_patient": self.is_patient}
        own = {self.mart.table: NOTHING} if self.is_anew else {}
        rows = self.attempt.rows(sql.query(self.mart.dirty), span, scope=own)
        return [self._window(row) for row in rows]

    def _window(self, row: Row) -> Window:
        first, last = utc(row["first_received_at"]), utc(row["last_received_at"])
        # A window of another mart may span everything since 1970.
        days = spanned(first, last) if self.mart.raw else frozenset[date]()
        return Window(utc(row["window_start"]), first, last, row["row_count"], days)

    def fill(
        self, windows: Sequence[Window], until: datetime, core_count: int = 1, again: Sequence[Window] = ()
    ) -> list[date]:
        """Fills these windows and those with rows set aside that are due; returns the days to publish."""
        self.filling = Filling(
            self.mart,
            self.attempt,
            self.lease,
            until,
            core_count,
            self.set_aside,
            expired_rows(self.attempt, self.mart.raw),
            self.bound,
            self.is_anew,
        )
        return self.filling.fill(windows, again)

    def _due(self, chosen: Plan, until: datetime) -> list[Window]:
        """Windows with rows set aside that are due. Windows that raw no longer holds are given up."""
        # A published day counts as built: late rows of other projects would be missing until its deferral
        # ends.
        waiting = {self.mart.partition_day(one.start) for one in chosen.waiting}
        due = {one.window for one in self.set_aside if one.is_due}
        starts = sorted(start for start in due if self.mart.partition_day(start) not in waiting)
        dirty = {window.start for window in chosen.windows}
        if self.mart.source:
            sizes = {one.window: one.row_count for one in self.set_aside}
            return [
                Window(start, EPOCH, until, sizes[start], frozenset())
                for start in starts
                if start not in dirty
            ]
        found = self.with_all_arrivals(starts, until)
        gone = set(starts) - {window.start for window in found} - dirty
        recovered(
            self.attempt, self.mart.name, [one.project_window for one in self.set_aside if one.window in gone]
        )
        self.set_aside = [one for one in self.set_aside if one.window not in gone]
        return [window for window in found if window.start not in dirty]

    def _left_count(self) -> int:
        known = {one.project_window for one in self.set_aside}
        return len(
            known if self.filling is None else (known | {*self.filling.failures}) - self.filling.recovered
        )

    def _record_failures(self) -> None:
        if self.filling is not None:
            set_aside(self.attempt, self.mart.name, self.filling.failures.values())

    def _record_recovered(self) -> None:
        if self.filling is not None:
            known = {one.project_window for one in self.set_aside}
            recovered(self.attempt, self.mart.name, self.filling.recovered & known)

    def _size(self, days: Sequence[date]) -> tuple[int, int]:
        versions = [self.attempt.version_of(day) for day in days]
        (row,) = self.attempt.fetch("size_of_versions", {"mart": self.mart.name, "versions": versions})
        return row["row_count"], row["byte_count"]


def _hash(statement: str) -> str:
    return hashlib.blake2b(statement.encode(), digest_size=8).hexdigest()


def cores(since: datetime, until: datetime) -> int:
    """The cores of a build: a first build takes minutes or hours; a refresh leaves a core to readers."""
    return CORES if until - since > CATCHING_UP else 1
