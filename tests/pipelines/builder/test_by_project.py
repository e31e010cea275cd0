"""What one project fails with, or takes too long for, is set aside and tried again; the others get theirs."""

from collections.abc import Callable
from datetime import UTC, datetime
from time import sleep

import pytest

from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.queries.delivery.set_aside import WHOLE_PROJECT, standing
from errata.warehouse.roles import Role
from pipelines.builder.by_project import Share, by_project
from pipelines.builder.set_aside import Reason
from tests.processes import WarehouseProcess

MART = "similar_issues"
SINCE = datetime(2026, 11, 20, 14, 30, 7, tzinfo=UTC)


def let_retries_be_due(admin: Warehouse) -> None:
    admin.execute(
        "alter table errata_ops.set_aside_windows update next_attempt_at = now64(3) - interval 1 second "
        "where true settings mutations_sync = 1"
    )


def raising(error: Exception) -> Callable[[Share], None]:
    def fail(_: Share) -> None:
        raise error

    return fail


def outlast(share: Share) -> None:
    while True:
        share.check()
        sleep(0.01)


def ask_too_long(share: Share) -> None:
    share.warehouse.rows("select sleepEachRow(0.1) from numbers(100) settings max_block_size = 1")


@pytest.mark.parametrize(
    ("fail", "reason"),
    [
        pytest.param(raising(RecursionError("deep")), Reason.PROGRAM, id="raises"),
        pytest.param(lambda share: share.warehouse.rows("select throwIf(1)"), Reason.STATEMENT, id="refused"),
        pytest.param(outlast, Reason.TIME, id="works too long"),
        pytest.param(ask_too_long, Reason.TIME, id="asks too long"),
    ],
)
def test_a_project_that_fails_is_set_aside_the_next_is_made_and_it_is_tried_again_from_where_it_was(
    warehouse: WarehouseProcess, fail: Callable[[Share], None], reason: Reason
) -> None:
    builder, admin = warehouse.client(Role.BUILD), warehouse.client(Role.ADMIN)
    seen: list[tuple[int, datetime]] = []

    def work(project_id: int, share: Share) -> int:
        seen.append((project_id, share.since))
        if project_id == 7:
            fail(share)
        return project_id

    assert list(by_project(builder, MART, [7, 8], work, SINCE, 1)) == [8]
    (held,) = standing(builder, MART)
    assert (held.project_id, held.window, held.reason) == (7, SINCE, reason) and held.message
    # Not before its time, and with all that no run has looked at since.
    later = datetime(2026, 11, 21, tzinfo=UTC)
    assert list(by_project(builder, MART, [7, 8], work, later, 1)) == [8]
    let_retries_be_due(admin)
    seen.clear()
    assert list(
        by_project(builder, MART, [8], lambda *given: seen.append((given[0], given[1].since)), later)
    ) == [
        None,
        None,
    ]
    assert seen == [(8, later), (7, SINCE)] and not standing(builder, MART)
    builder.close()
    admin.close()


def test_a_warehouse_that_is_away_is_nobodys_failure(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    with pytest.raises(WarehouseUnavailable):
        list(by_project(builder, MART, [7], lambda *_: raising(WarehouseUnavailable("here", "gone"))(_[1])))
    assert not standing(builder, MART) and WHOLE_PROJECT.year == 1970
    builder.close()
