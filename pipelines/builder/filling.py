"""Fills windows under an attempt's own versions: computed for all projects at once, then recounted.

What fails is tried again in smaller parts, until it is known which windows of a project fail. These are set
aside, and keep the rows published before; the others go on.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby
from math import inf
from typing import TypeVar

from errata.warehouse import sql
from errata.warehouse.client import Parameters, QueryFailed, Row
from errata.warehouse.disk import BUILDS_BOUND, Bound, require, space_of
from errata.warehouse.queries.delivery.set_aside import ProjectWindow, SetAside
from pipelines.builder.attempt import Attempt, differing_statement, recounted
from pipelines.builder.build_log import BuildLog
from pipelines.builder.expired import Expired
from pipelines.builder.lease import Lease
from pipelines.builder.mart import Mart, Window
from pipelines.builder.reading import Reading, inserts
from pipelines.builder.scope import EVERY, NOTHING_AT_ALL, Scope
from pipelines.builder.set_aside import Failure, Reason, due, reason_of

Input = TypeVar("Input")
Output = TypeVar("Output")
Wrong = Mapping[int, tuple[Reason, str]]
"""By project the reason why its rows do not count, and the message."""

# The limit of one insert: that of the building user.
INSERT_MEMORY = 1_200_000_000
TRY_AGAIN_FOR = timedelta(minutes=2)
"""Time for retries, after which the next build goes on; the first window retried is always finished."""
MANY_INSERTS = 4
"""Inserts' worth of rows from which on projects are counted one by one."""
DAYS_COPIED_AT_ONCE = 20
# Missing table or grant, no space, no thread, cancelled, too many parts: independent of the rows.
NOT_OF_ROWS = frozenset({60, 164, 202, 236, 242, 243, 252, 394, 439, 497, 516})

log = logging.getLogger("errata.builds")


def each_at_once(
    attempt: Attempt, mart: Mart, core_count: int, inputs: Sequence[Input], compute: Callable[[Input], Output]
) -> list[Output]:
    """Results in the order of `inputs`, two computed at once where memory is known to suffice."""
    at_once = 1
    if mart.has_known_memory and min(core_count, len(inputs)) > 1:
        at_once = min(core_count, max(1, BuildLog(attempt).memory() // INSERT_MEMORY))
    attempt.threads = core_count // at_once
    with ThreadPoolExecutor(at_once) as pool:
        try:
            return [one.result() for one in [pool.submit(compute, one) for one in inputs]]
        finally:
            pool.shutdown(cancel_futures=True)
            attempt.threads = 1


class TimeIsUp(Exception):
    """The end of a retry between two slices; the next build goes on."""


@dataclass
class Filling:
    """`standing`: rows set aside before this build; `failures`: those this build sets aside; `recovered`:
    those of either that it built after all. `is_anew`: the mart adds nothing to its own published rows."""

    mart: Mart
    attempt: Attempt
    lease: Lease
    until: datetime
    core_count: int = 1
    standing: Sequence[SetAside] = ()
    expired: Expired = field(default_factory=Expired)
    bound: Bound = BUILDS_BOUND
    is_anew: bool = False
    failures: dict[ProjectWindow, Failure] = field(default_factory=dict)
    recovered: set[ProjectWindow] = field(default_factory=set)
    _retries: list[tuple[int, Sequence[Window]]] = field(default_factory=list)
    """Windows of a project that are built after all others."""

    @property
    def _reading(self) -> Reading:
        return Reading(self.mart, self.attempt, self.until)

    def fill(self, windows: Sequence[Window], again: Sequence[Window] = ()) -> list[date]:
        """Fills the windows and returns the days to publish. `again`: windows with rows set aside that are
        due."""
        last = list(self._put_off(windows))
        chunks = [
            (chunk, scope)
            for scope, same in self._by_scope(windows)
            for chunk in inserts(same, self.mart.rows_an_insert)
        ]
        each_at_once(self.attempt, self.mart, self.core_count, chunks, lambda one: self.insert(*one))
        self._retries += [*self._due([*windows, *again]), *last]
        self._retry()
        whole = {window.start for window in windows}
        starts = sorted(whole | {start for _, start in self.recovered})
        days = list(dict.fromkeys(map(self.mart.partition_day, starts)))
        self._keep(days, whole)
        if self.mart.sliced_by:
            self._merge_slices(days)
        return days

    def insert(
        self, windows: Sequence[Window], scope: Scope = EVERY, is_retry: bool = False, ends_at: float = inf
    ) -> None:
        """Inserts the windows, for all projects in the scope but those whose rows fail."""
        try:
            wrong = self._wrong(windows, scope, is_retry, ends_at)
        except TimeIsUp:
            # No failure: the records of the windows hold, and those due stay due.
            self._clear(windows, scope)
            return
        except QueryFailed as error:
            if error.clickhouse_code in NOT_OF_ROWS:
                raise
            self.lease.check()
            self._clear(windows, scope)
            projects = [scope.first] if is_retry else list(self._reading.row_counts(windows, scope))
            if len(projects) > 1:
                self._search(windows, scope, projects, error)
                return
            # An insert without rows must succeed; otherwise the rows are not at fault.
            self._wrong(windows, NOTHING_AT_ALL)
            if not projects:
                raise
            wrong = {projects[0]: (reason_of(error), error.reason)}
        if is_retry:
            self._count_as_built(windows, scope)
        for project_id, said in wrong.items():
            self._clear(windows, Scope.only(project_id))
            self._fail(project_id, windows, *said)
            if len(windows) > 1:
                # Each may succeed alone.
                middle = len(windows) // 2
                self._retries += [(project_id, windows[:middle]), (project_id, windows[middle:])]
            elif not is_retry and self.mart.table in sql.model(self.mart.name).inputs:
                # The mart counts on from its own published rows, which may be older than rows that its
                # source recovered.
                self._retries.append((project_id, windows))
                log.warning(
                    "%s of project %d is counted from the beginning: %s", self.mart.name, project_id, said
                )

    def _search(
        self, windows: Sequence[Window], scope: Scope, projects: Sequence[int], error: QueryFailed
    ) -> None:
        """Inserts the windows in parts after an insert of all projects failed: without those that failed
        before, which are built last; if there are none, by halves, since projects may be thousands."""
        suspects = self._known_to_fail.intersection(projects)
        for part in [scope.without(suspects)] if suspects else scope.halves(projects):
            self.insert(windows, part)
        for project_id in sorted(suspects):
            self._fail(project_id, windows, reason_of(error), error.reason)
            self._retries.append((project_id, windows))

    @property
    def _known_to_fail(self) -> set[int]:
        """Projects with rows that failed in this build or an earlier one."""
        # A copy: another thread may add to the set.
        failed = [project_id for project_id, _ in list(self.failures)]
        return {*failed, *(one.project_id for one in self.standing)}

    def _wrong(
        self, windows: Sequence[Window], scope: Scope, is_retry: bool = False, ends_at: float = inf
    ) -> Wrong:
        """Inserts the windows. Returns the projects that the recount disagrees about. A retry counts from the
        beginning, and raises TimeIsUp between two slices."""
        model = sql.model(self.mart.name).statements[1]
        parameters = self._reading.parameters(windows)
        for span in self._reading.slices(windows, scope, is_retry):
            if is_retry:
                self.lease.check()
                if time.monotonic() >= ends_at:
                    raise TimeIsUp
            require(space_of(self.attempt.warehouse), self.bound)
            self.attempt.run(
                "fill_mart",
                {**parameters, **span},
                self._reading.settings,
                self._reading.scope(scope, is_anew=is_retry or self.is_anew),
                model=model,
            )
        rows = self._recounted(sql.check(self.mart.name), windows, parameters, scope)
        said = {
            project_id: f"{built} counted, {expected} expected"
            for project_id, (built, expected) in recounted(rows).items()
            if built != expected
        }
        if said and (differing := differing_statement(self.mart.name)):
            for row in self._recounted(differing, windows, {**parameters, "projects": list(said)}, scope):
                said[row["project_id"]] += f", of event {row['item_id']} at {row['hour']:%Y-%m-%d %H:00}"
        return {project_id: (Reason.RECOUNT, words) for project_id, words in said.items()}

    def _recounted(
        self, statement: str, windows: Sequence[Window], parameters: Parameters, scope: Scope
    ) -> list[Row]:
        """The recount of windows as this attempt has written them."""
        own = self.attempt.own(window.start for window in windows)
        reading = self._reading
        return self.attempt.rows(statement, parameters, reading.settings, reading.scope(scope), own)

    def _fail(self, project_id: int, windows: Sequence[Window], reason: Reason, said: str) -> None:
        for window in windows:
            failure = Failure(project_id, reason, said, window.start, window.row_count)
            self.failures[failure.project_window] = failure
            self.recovered.discard(failure.project_window)

    def _count_as_built(self, windows: Sequence[Window], scope: Scope) -> None:
        """`scope`: of one project."""
        for window in windows:
            self.failures.pop((scope.first, window.start), None)
            self.recovered.add((scope.first, window.start))

    def _clear(self, windows: Sequence[Window], scope: Scope) -> None:
        starts = [window.start for window in windows]
        for day in sorted(set(map(self.mart.partition_day, starts))):
            self.attempt.run(
                "clear_windows",
                {"windows": starts, **scope.parameters},
                window=self.mart.window_column,
                partition_id=self.mart.partition_id(day, self.attempt.version_of(day)),
            )

    def _by_scope(self, windows: Sequence[Window]) -> Iterator[tuple[Scope, list[Window]]]:
        """Adjacent windows that leave out the same projects: set aside, expired or built last."""
        missing = _by_window(self._missing)
        for projects, same in groupby(
            windows, lambda window: missing[window.start].union(self.expired.projects(window.start))
        ):
            yield Scope(excluded=frozenset(projects)), list(same)

    @property
    def _missing(self) -> set[ProjectWindow]:
        """What was set aside, and is not built."""
        return {*self.failures, *(one.project_window for one in self.standing)} - self.recovered

    def _put_off(self, windows: Sequence[Window]) -> Iterator[tuple[int, list[Window]]]:
        """Windows to build last: those of a project with more rows than all others together, and than an
        insert takes."""
        if sum(window.row_count for window in windows) <= MANY_INSERTS * self.mart.rows_an_insert:
            return
        counts = self._reading.row_counts(windows, EVERY) if self.mart.raw else {}
        project_id, most = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
        total = sum(counts.values())
        if len(counts) > 1 and most > max(self.mart.rows_an_insert, total // 2):
            own = [window for window in windows if (project_id, window.start) not in self._missing]
            said = f"{most} of {total} rows: built after the other projects"
            self._fail(project_id, own, Reason.ROWS, said)
            for chunk in inserts(own, self.mart.rows_an_insert):
                yield project_id, chunk

    def _retry(self) -> None:
        """Builds windows that failed with others, are due, or were put off, until time is up."""
        ends_at = time.monotonic() + TRY_AGAIN_FOR.total_seconds()
        # The first one runs to its end: a window that takes longer than the retry time would never be built.
        own_end = inf
        while self._retries and time.monotonic() < ends_at:
            project_id, chunk = self._retries.pop(0)
            self.insert(chunk, Scope.only(project_id), is_retry=True, ends_at=own_end)
            own_end = ends_at

    def _due(self, windows: Iterable[Window]) -> Iterator[tuple[int, list[Window]]]:
        """Windows that are due, by project, in the order they are due."""
        by_start = {window.start: window for window in windows}
        by_project = defaultdict[int, list[Window]](list)
        for one in due(self.standing):
            if one.window in by_start:
                by_project[one.project_id].append(by_start[one.window])
        for project_id, own in by_project.items():
            for chunk in inserts(sorted(own, key=lambda one: one.start), self.mart.rows_an_insert):
                yield project_id, chunk

    def _keep(self, days: Sequence[date], whole: set[datetime]) -> None:
        """Copies what these days keep of the published rows: windows that are clean, and projects that were
        not built. `whole`: windows built for all projects but those; of others, only `recovered` was
        built."""
        failed, built = _by_window(self._missing), _by_window(self.recovered)
        groups = defaultdict[tuple[bool, frozenset[int]], list[datetime]](list)
        for start in (start for day in days for start in self.mart.windows_of(day)):
            if start not in whole:
                groups[True, frozenset(built[start])].append(start)
            elif kept := failed[start].union(self.expired.projects(start)):
                groups[False, frozenset(kept)].append(start)
        for (are_others, projects), starts in groups.items():
            of_days = [list(same) for _, same in groupby(starts, self.mart.partition_day)]
            for number in range(0, len(of_days), DAYS_COPIED_AT_ONCE):
                some = [start for same in of_days[number : number + DAYS_COPIED_AT_ONCE] for start in same]
                named = {"windows": some, "projects": sorted(projects), "are_others": are_others}
                self.attempt.run(
                    "keep_rows", {**named, "watermark": self.until}, window=self.mart.window_column
                )

    def _merge_slices(self, days: Sequence[date]) -> None:
        for day in days:
            partition_id = self.mart.partition_id(day, self.attempt.version_of(day))
            self.attempt.run("merge_slices", partition_id=partition_id)


def _by_window(found: Iterable[ProjectWindow]) -> defaultdict[datetime, set[int]]:
    by_window = defaultdict[datetime, set[int]](set)
    for project_id, start in found:
        by_window[start].add(project_id)
    return by_window
