"""Fills windows under an attempt's own versions: computed from raw, then recounted.

Where the rows of a project fail, the window keeps the project's published rows, and the other projects go on.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import groupby, product
from math import inf
from typing import TypeVar

from errata.warehouse import sql
from errata.warehouse.client import Parameters, QueryFailed, Row
from errata.warehouse.disk import BUILDS_BOUND, Bound, require, space_of
from errata.warehouse.queries.delivery.set_aside import ProjectWindow, SetAside
from pipelines.builder.attempt import Attempt, check_statement, differing_statement
from pipelines.builder.build_log import BuildLog
from pipelines.builder.carrying_over import CarryingOver
from pipelines.builder.expired import Expired
from pipelines.builder.lease import Lease
from pipelines.builder.mart import Mart, Window
from pipelines.builder.reading import Reading, inserts
from pipelines.builder.scope import Scope, recounted_inputs
from pipelines.builder.set_aside import Failure, Reason, due, reason_of

Input = TypeVar("Input")
Output = TypeVar("Output")

# The limit of one insert: that of the building user.
INSERT_MEMORY = 1_200_000_000
TRY_AGAIN_FOR = timedelta(minutes=2)
"""Time for retries, after which the next build goes on; the first window retried is always finished."""
MANY_INSERTS = 4
"""Inserts' worth of rows from which on projects are counted one by one."""
# Missing table or grant, no space, no thread, cancelled, too many parts: independent of the rows.
NOT_OF_ROWS = frozenset({60, 164, 202, 236, 242, 243, 252, 394, 439, 497, 516})


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
    those of either that it built after all."""

    mart: Mart
    attempt: Attempt
    lease: Lease
    until: datetime
    core_count: int = 1
    standing: Sequence[SetAside] = ()
    expired: Expired = field(default_factory=Expired)
    bound: Bound = BUILDS_BOUND
    failures: dict[ProjectWindow, Failure] = field(default_factory=dict)
    recovered: set[ProjectWindow] = field(default_factory=set)
    _doubtful: list[tuple[int, Sequence[Window]]] = field(default_factory=list)
    """Windows that failed together with others, and may succeed alone."""

    @property
    def _reading(self) -> Reading:
        return Reading(self.mart, self.attempt, self.until)

    def fill(self, windows: Sequence[Window], again: Sequence[Window] = ()) -> list[date]:
        """Fills the windows and returns the days to publish. `again`: windows with rows set aside that are
        due."""
        chunks = [
            (chunk, scope)
            for scope, same in self._by_scope(windows)
            for chunk in inserts(same, self.mart.rows_an_insert)
        ]
        each_at_once(self.attempt, self.mart, self.core_count, chunks, lambda one: self.insert(*one))
        self._try_again([*windows, *again])
        starts = sorted({window.start for window in windows} | {start for _, start in self.recovered})
        missing = {*self.failures, *(one.project_window for one in self.standing)} - self.recovered
        missing |= {(project_id, start) for start in starts for project_id in self.expired.projects(start)}
        carrying = CarryingOver(self.mart, self.attempt, self.until)
        carrying.run(starts, {window.start for window in windows}, missing, self.recovered)
        days = list(dict.fromkeys(map(self.mart.partition_day, starts)))
        if self.mart.sliced_by:
            self._merge_slices(days)
        return days

    def _merge_slices(self, days: Sequence[date]) -> None:
        for day in days:
            partition_id = self.mart.partition_id(day, self.attempt.version_of(day))
            self.attempt.run("merge_slices", partition_id=partition_id)

    def insert(self, windows: Sequence[Window], scope: Scope | None = None) -> None:
        """Inserts the windows, for all projects in the scope but those whose rows fail."""
        scope = scope or Scope()
        try:
            wrong = self._built(windows, scope)
        except QueryFailed as error:
            if error.clickhouse_code in NOT_OF_ROWS:
                raise
            self._halve(windows, scope, error)
            return
        if wrong:
            self._clear(windows, wrong)
            for project_id, said in wrong.items():
                self._fail(project_id, windows, Reason.RECOUNT, said)
                self._doubt_halves(project_id, windows)
                if self.mart.table in recounted_inputs(self.mart):
                    # The mart counts on from its own published rows, which may be older than rows that its
                    # source recovered: these windows are counted from the source again.
                    self._doubtful.append((project_id, windows))

    def _built(
        self, windows: Sequence[Window], scope: Scope, self_seen: bool = True, ends_at: float = inf
    ) -> dict[int, str]:
        """Inserts the windows. Returns the projects that the recount disagrees about, and its message."""
        model = sql.model(self.mart.name).statements[1]
        parameters = self._reading.parameters(windows)
        for span in self._reading.slices(windows, scope, self_seen):
            if not self_seen:
                self._require_time(ends_at)
            require(space_of(self.attempt.warehouse), self.bound)
            self.attempt.run(
                "fill_mart",
                {**parameters, **span},
                self._reading.settings,
                self._reading.scope(scope, self_seen),
                model=model,
            )
        rows = self._recounted(check_statement(self.mart.name), windows, parameters, scope)
        wrong = {
            row["project_id"]: f"{row['built_count']} counted, {row['expected_count']} expected"
            for row in rows
            if row["built_count"] != row["expected_count"]
        }
        differing = differing_statement(self.mart.name)
        if wrong and differing:
            of_wrong = {**parameters, "projects": list(wrong)}
            for row in self._recounted(differing, windows, of_wrong, scope):
                wrong[row["project_id"]] += f", of event {row['item_id']} at {row['hour']:%Y-%m-%d %H:00}"
        return wrong

    def _recounted(
        self, statement: str, windows: Sequence[Window], parameters: Parameters, scope: Scope
    ) -> list[Row]:
        """The recount of windows as this attempt has written them."""
        own = self.attempt.own(window.start for window in windows)
        reading = self._reading
        return self.attempt.rows(statement, parameters, reading.settings, reading.scope(scope), own)

    def _require_time(self, ends_at: float) -> None:
        """Raises TimeIsUp. Called between the slices of a retry: other projects wait to be published."""
        self.lease.check()
        if time.monotonic() >= ends_at:
            raise TimeIsUp

    def _halve(self, windows: Sequence[Window], scope: Scope, error: QueryFailed) -> None:
        """Finds the projects whose rows make the statement fail, by halves, and sets them aside."""
        self.lease.check()
        self._clear(windows, scope)
        projects = list(self._reading.row_counts(windows, scope))
        suspects = self._known_to_fail.intersection(projects)
        if suspects and len(projects) > 1:
            # A search in every insert would take too long: the rest is tried project by project at the end.
            self.insert(windows, scope.without(suspects))
            for project_id in sorted(suspects):
                self._fail(project_id, windows, reason_of(error), error.reason)
                self._doubtful.append((project_id, windows))
            return
        if len(projects) > 1:
            for half in scope.halves(projects):
                self.insert(windows, half)
            return
        # An insert without rows must succeed; otherwise the rows are not at fault.
        self._built(windows, Scope(first=1, last=0))
        if not projects:
            raise error
        self._fail(projects[0], windows, reason_of(error), error.reason)
        self._doubt_halves(projects[0], windows)

    @property
    def _known_to_fail(self) -> set[int]:
        """Projects with rows that failed in this build or an earlier one."""
        # A copy: another thread may add to the set.
        failed = [project_id for project_id, _ in list(self.failures)]
        return {*failed, *(one.project_id for one in self.standing)}

    def _fail(self, project_id: int, windows: Sequence[Window], reason: Reason, said: str) -> None:
        for window in windows:
            failure = Failure(project_id, reason, said, window.start, window.row_count)
            self.failures[failure.project_window] = failure

    def _doubt_halves(self, project_id: int, windows: Sequence[Window]) -> None:
        """Keeps the windows of a failed half for another try: each may succeed alone."""
        if len(windows) > 1:
            middle = len(windows) // 2
            self._doubtful += [(project_id, windows[:middle]), (project_id, windows[middle:])]

    def _clear(self, windows: Sequence[Window], scope: Scope | Iterable[int]) -> None:
        starts = [window.start for window in windows]
        scopes = [scope] if isinstance(scope, Scope) else [Scope.only(project_id) for project_id in scope]
        for day, one in product(sorted(set(map(self.mart.partition_day, starts))), scopes):
            self.attempt.run(
                "clear_windows",
                {"windows": starts, **one.parameters},
                window=self.mart.window_column,
                partition_id=self.mart.partition_id(day, self.attempt.version_of(day)),
            )

    def _by_scope(self, windows: Sequence[Window]) -> Iterator[tuple[Scope, list[Window]]]:
        """Adjacent windows that leave out the same projects, set aside or postponed."""
        left_out = defaultdict[datetime, set[int]](set)
        for one in self.standing:
            left_out[one.window].add(one.project_id)
        for project_id, start in self._put_off(windows, left_out):
            left_out[start].add(project_id)
        for window in windows:
            left_out[window.start].update(self.expired.projects(window.start))
        for projects, same in groupby(windows, lambda window: frozenset(left_out[window.start])):
            yield Scope(excluded=projects), list(same)

    def _put_off(
        self, windows: Sequence[Window], left_out: dict[datetime, set[int]]
    ) -> Sequence[ProjectWindow]:
        """Projects to build last: each with more rows than all others together, and than an insert takes."""
        if sum(window.row_count for window in windows) <= MANY_INSERTS * self.mart.rows_an_insert:
            return ()
        if not self.mart.raw:
            return ()
        counts = self._reading.row_counts(windows, Scope())
        project_id, most = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
        if len(counts) == 1 or most <= max(self.mart.rows_an_insert, sum(counts.values()) // 2):
            return ()
        said = f"{most} of {sum(counts.values())} rows: built after the other projects"
        own = [window for window in windows if project_id not in left_out[window.start]]
        self._fail(project_id, own, Reason.ROWS, said)
        return [(project_id, window.start) for window in own]

    def _try_again(self, windows: Iterable[Window]) -> None:
        """Retries windows that failed with others, are due, or were postponed, until time is up."""
        ends_at = time.monotonic() + TRY_AGAIN_FOR.total_seconds()
        for project_id, chunk in self._pending(windows):
            self._doubtful.append((project_id, chunk))
        # The first one runs to its end: a window that takes longer than the retry time would never be built.
        own_end = inf
        while self._doubtful and time.monotonic() < ends_at:
            self._again(*self._doubtful.pop(0), own_end)
            own_end = ends_at

    def _pending(self, windows: Iterable[Window]) -> Iterator[tuple[int, list[Window]]]:
        """Windows to retry by project, in the order they are due."""
        by_start = {window.start: window for window in windows}
        put_off = [
            project_window for project_window, one in self.failures.items() if one.reason is Reason.ROWS
        ]
        project_windows = [*(one.project_window for one in due(self.standing)), *put_off]
        for project_id in dict.fromkeys(project_id for project_id, _ in project_windows):
            own = sorted({start for one, start in project_windows if one == project_id and start in by_start})
            for chunk in inserts([by_start[start] for start in own], self.mart.rows_an_insert):
                yield project_id, chunk

    def _again(self, project_id: int, windows: Sequence[Window], ends_at: float) -> None:
        scope = Scope.only(project_id)
        reason, said = Reason.RECOUNT, ""
        try:
            said = self._built(windows, scope, self_seen=False, ends_at=ends_at).get(project_id, "")
        except TimeIsUp:
            # No failure: the records of the windows hold, and those due stay due.
            self._clear(windows, scope)
            return
        except QueryFailed as error:
            if error.clickhouse_code in NOT_OF_ROWS:
                raise
            reason, said = reason_of(error), error.reason
        project_windows = {(project_id, window.start) for window in windows}
        if not said:
            self.recovered |= project_windows
            self.failures = {
                one: failed for one, failed in self.failures.items() if one not in project_windows
            }
            return
        self._clear(windows, scope)
        self._fail(project_id, windows, reason, said)
        self._doubt_halves(project_id, windows)
