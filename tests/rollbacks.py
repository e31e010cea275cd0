"""Projects that deploy a bad release and roll it back, beside the same projects without it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.releases import ReleaseRow, release
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.builders import insert
from tests.page_loads import RELEASED, Row, loads
from tests.processes import WarehouseProcess
from tests.sessions_and_errors import errors, sessions

DAY = timedelta(days=1)
BEFORE, GOOD, BAD = "shop@1.0", "shop@1.1", "shop@1.2"
USERS = 60
SESSIONS = 200
# The good release is rolled back to within the week that it is judged by, or long after.
BEGAN = {"soon": RELEASED - 2 * DAY, "late": RELEASED - 9 * DAY}
BAD_FOR = DAY
# Ids of rows are made of seeds.
SEEDS_A_PROJECT = 20


@dataclass(frozen=True)
class Rollback:
    """`with_bad`: how the release rolled back to is judged; `without`: had the bad one never been."""

    number: int
    bad: ReleaseRow
    with_bad: ReleaseRow
    without: ReleaseRow

    @property
    def is_blocked(self) -> bool:
        """Red, and not without the bad release."""
        return self.with_bad.overall_verdict == "worse" != self.without.overall_verdict


def project_ids(number: int) -> tuple[int, int]:
    """With the bad release, and without it."""
    return 10_000 + number, 20_000 + number


def deliver_rollback(warehouse: Warehouse, number: int, count: int) -> None:
    """`count` page loads a week. Every second project rolls back within the week that it is judged by."""
    with_bad, without = project_ids(number)
    began = BEGAN["soon" if number % 2 else "late"]
    for project_id in (with_bad, without):
        seed = 1_000 + number * SEEDS_A_PROJECT
        views = loads(BEFORE, began - 7 * DAY, count, seed=seed, project_id=project_id)
        # The good release goes on after the bad one.
        views += _outside(loads(GOOD, began, count, seed=seed + 1, project_id=project_id))
        views += _outside(loads(GOOD, RELEASED, count, seed=seed + 2, project_id=project_id))
        seen = sessions(BEFORE, began - 7 * DAY, SESSIONS, seed + 3, USERS, project_id)
        seen += _outside(sessions(GOOD, began, SESSIONS, seed + 4, USERS, project_id))
        seen += _outside(sessions(GOOD, RELEASED, SESSIONS, seed + 5, USERS, project_id))
        users = range(1, USERS + 1)
        failed = errors(BEFORE, began - 7 * DAY, users, seed + 6, project_id)
        failed += _outside(errors(GOOD, began, users, seed + 7, project_id))
        if project_id == with_bad:
            views += _within(loads(BAD, RELEASED, 7 * count, 3.0, seed + 8, project_id))
            seen += _within(sessions(BAD, RELEASED, 7 * SESSIONS, seed + 9, USERS, project_id))
            failed += _within(errors(BAD, RELEASED, [*users] * 14, seed + 10, project_id))
        insert(warehouse, "errata_raw.page_views", views)
        insert(warehouse, "errata_raw.sessions", seen)
        insert(warehouse, "errata_raw.error_events", failed)


def judged(warehouse: WarehouseProcess, numbers: range) -> Iterator[Rollback]:
    """As pages, REST and the gate read them, after everything is built."""
    builder, read = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    while judge_releases(builder, timedelta(0)).waiting_count:
        pass
    for number in numbers:
        with_bad, without = project_ids(number)
        yield Rollback(
            number,
            release(read, with_bad, BAD),
            release(read, with_bad, GOOD),
            release(read, without, GOOD),
        )
    builder.close()
    read.close()


def _within(rows: list[Row]) -> list[Row]:
    return [row for row in rows if RELEASED <= row["occurred_at"] < RELEASED + BAD_FOR]


def _outside(rows: list[Row]) -> list[Row]:
    """Nobody sees the good release while the bad one runs; the same without the bad one."""
    return [row for row in rows if not RELEASED <= row["occurred_at"] < RELEASED + BAD_FOR]
