"""Windows of one project that a mart could not build: recorded, reported and retried at growing intervals.

    set_aside(warehouse, "release_impact", [Failure(project_id, Reason.MEMORY, str(error))])
    for one in due(standing(warehouse, "release_impact")): …
    recovered(warehouse, "release_impact", [(project_id, WHOLE_PROJECT)])

For marts of SQL and of Python alike. `warehouse`: a client with the role BUILD, or an attempt.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from errata.warehouse import sql
from errata.warehouse.client import Parameters, QueryFailed, Row
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, ProjectWindow, SetAside, standing

FIRST_INTERVAL = timedelta(minutes=5)
GROWTH = 3
LONGEST_INTERVAL = timedelta(hours=6)
# The messages of one statement are one parameter: ClickHouse takes 128 KiB by default, ours 1 MiB.
MOST_NAMED = 50
MESSAGE_LENGTH = 300


class Statements(Protocol):
    def rows(self, statement: str, parameters: Parameters | None = None, /) -> list[Row]: ...
    def execute(self, statement: str, parameters: Parameters | None = None, /) -> None: ...


class Reason(StrEnum):
    """The reason for setting a window aside."""

    RECOUNT = "recount_failed"
    MEMORY = "out_of_memory"
    TIME = "out_of_time"
    STATEMENT = "query_failed"
    ROWS = "too_many_rows"
    RELEASES = "too_many_releases"
    PROGRAM = "program_failed"


# No failure: the next build continues, without an interval.
UNFINISHED = frozenset({Reason.ROWS, Reason.RELEASES})


@dataclass(frozen=True)
class Failure:
    project_id: int
    reason: Reason
    message: str = ""
    window: datetime = WHOLE_PROJECT
    row_count: int = 0

    @property
    def project_window(self) -> ProjectWindow:
        return self.project_id, self.window


def interval_after(attempt_count: int) -> timedelta:
    """The wait after a number of failed attempts."""
    # Bounded before the power is taken: a number of a million digits is no interval.
    growth = int(GROWTH ** min(attempt_count - 1, 10))
    return min(FIRST_INTERVAL * growth, LONGEST_INTERVAL)


def reason_of(error: QueryFailed) -> Reason:
    return {241: Reason.MEMORY, 159: Reason.TIME}.get(error.clickhouse_code, Reason.STATEMENT)


def due(found: Iterable[SetAside]) -> list[SetAside]:
    """Windows whose next attempt is due, in the order of their due times."""
    return sorted(
        (one for one in found if one.is_due), key=lambda one: (one.next_attempt_at, one.project_window)
    )


def set_aside(warehouse: Statements, mart: str, failures: Iterable[Failure]) -> None:
    """Records a failed attempt at each; the next one is due after an interval that grows with the
    attempts."""
    failed = {failure.project_window: failure for failure in failures}
    if not failed:
        return
    known = {one.project_window: one for one in standing(warehouse, mart)}
    for some in _chunks(sorted(failed)):
        before = [known.get(project_window) for project_window in some]
        counts = [(one.attempt_count if one else 0) + 1 for one in before]
        chunk = [failed[project_window] for project_window in some]
        _record(
            warehouse,
            mart,
            "set_aside",
            some,
            since=[one.since if one else WHOLE_PROJECT for one in before],
            reasons=[failure.reason.value for failure in chunk],
            messages=[failure.message[:MESSAGE_LENGTH] for failure in chunk],
            attempt_counts=counts,
            intervals=[
                0 if failure.reason in UNFINISHED else _seconds(count)
                for failure, count in zip(chunk, counts, strict=True)
            ],
            row_counts=[failure.row_count for failure in chunk],
        )


def recovered(warehouse: Statements, mart: str, project_windows: Collection[ProjectWindow]) -> None:
    """Records that these are built: nothing of them is set aside any more."""
    for some in _chunks(sorted(project_windows)):
        _record(warehouse, mart, "recovered", some)


def _seconds(attempt_count: int) -> int:
    return int(interval_after(attempt_count).total_seconds())


def _record(
    warehouse: Statements,
    mart: str,
    state: str,
    project_windows: Sequence[ProjectWindow],
    **columns: Sequence[object],
) -> None:
    blank = {
        "since": [WHOLE_PROJECT] * len(project_windows),
        "reasons": [""] * len(project_windows),
        "messages": [""] * len(project_windows),
        "attempt_counts": [0] * len(project_windows),
        "intervals": [0] * len(project_windows),
        "row_counts": [0] * len(project_windows),
    }
    named = {
        "mart": mart,
        "state": state,
        "projects": [project_id for project_id, _ in project_windows],
        "windows": [window for _, window in project_windows],
    }
    given = {name: list(each) for name, each in columns.items()}
    warehouse.execute(sql.build_statement("record_set_aside"), {**blank, **given, **named})


def _chunks(project_windows: Sequence[ProjectWindow]) -> Iterator[Sequence[ProjectWindow]]:
    for first in range(0, len(project_windows), MOST_NAMED):
        yield project_windows[first : first + MOST_NAMED]
