"""What is set aside is remembered, tried again at growing intervals, and forgotten once it is built."""

from datetime import UTC, datetime, timedelta

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import make_mart
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, standing
from errata.warehouse.roles import Role
from pipelines.builder.set_aside import (
    MOST_NAMED,
    Failure,
    Reason,
    due,
    interval_after,
    recovered,
    set_aside,
)
from tests.processes import WarehouseProcess

HOUR = datetime(2026, 11, 20, 14, tzinfo=UTC)
MART = "variant_hourly"


def let_time_pass(admin: Warehouse) -> None:
    admin.execute(
        "alter table errata_ops.set_aside_windows update next_attempt_at = now64(3) - interval 1 second "
        "where true settings mutations_sync = 1"
    )


def test_a_failure_is_due_after_an_interval_that_grows_with_each(warehouse: WarehouseProcess) -> None:
    build, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    failure = Failure(7, Reason.RECOUNT, "3 built, 2 expected: it's \\ odd", HOUR, row_count=12)
    set_aside(build, MART, [failure, Failure(8, Reason.MEMORY)])
    first, other = standing(build, MART)
    assert (first.project_window, first.reason, first.message) == ((7, HOUR), Reason.RECOUNT, failure.message)
    assert (first.attempt_count, first.row_count, other.project_window) == (1, 12, (8, WHOLE_PROJECT))
    assert due(standing(build, MART)) == []

    let_time_pass(admin)
    assert [one.project_window for one in due(standing(build, MART))] == [(7, HOUR), (8, WHOLE_PROJECT)]
    set_aside(build, MART, [failure])
    (second,) = [one for one in standing(build, MART) if one.project_id == 7]
    assert (second.since, second.attempt_count) == (first.since, 2)
    waits = second.next_attempt_at - first.next_attempt_at
    assert timedelta(minutes=9) < waits < timedelta(minutes=16)
    assert [one.project_window for one in due(standing(build, MART))] == [(8, WHOLE_PROJECT)]


def test_the_interval_is_bounded() -> None:
    assert [interval_after(count).total_seconds() / 60 for count in (1, 2, 3)] == [5, 15, 45]
    assert interval_after(1_000_000) == timedelta(hours=6)


def test_what_is_built_after_all_is_forgotten(warehouse: WarehouseProcess) -> None:
    build = warehouse.client(Role.BUILD)
    windows = [HOUR + number * timedelta(hours=1) for number in range(MOST_NAMED + 3)]
    set_aside(build, MART, [Failure(7, Reason.TIME, "x" * 2000, window) for window in windows])
    set_aside(build, "issues", [Failure(7, Reason.TIME)])
    recovered(build, MART, [(7, window) for window in windows[1:]])
    assert [(one.mart, one.window) for one in standing(build)] == [("issues", WHOLE_PROJECT), (MART, HOUR)]
    set_aside(build, MART, [Failure(7, Reason.TIME, window=windows[1])])
    assert [one.attempt_count for one in standing(build, MART)] == [1, 1]


def test_a_mart_made_anew_has_nothing_set_aside(warehouse: WarehouseProcess) -> None:
    build, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    set_aside(build, "repeated_events", [Failure(7, Reason.RECOUNT, window=HOUR)])
    make_mart(admin, sql.model("repeated_events"))
    assert standing(build, "repeated_events") == []
