"""After a build, readers find the answers of its versions ready, and read older ones until then."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from api.settings import ApiSettings
from errata.budgets import histories
from errata.budgets.evaluation import outcomes
from errata.budgets.limit import Limit
from errata.budgets.state import Evaluation
from errata.warehouse import asked_ahead, sql
from errata.warehouse.asked import recorded
from errata.warehouse.client import Warehouse
from errata.warehouse.published import is_asked_ahead, one_snapshot
from errata.warehouse.queries.progress import LastBuild, once_a_build
from errata.warehouse.roles import Role
from tests.builders import a_delivery, insert
from tests.mart_builds import build_marts
from tests.processes import WarehouseProcess

COUNT = "select count() as row_count from errata_mart.delivery_daily"
OF_PROJECT = {"projects": [1]}
CALL = {
    **{"project_id": 1, "side": "server", "route": "/cart", "method": "GET", "status_code": 200},
    **{"occurred_at": datetime.now(UTC) - timedelta(days=2), "duration_ms": 70.0},
}


@pytest.fixture
def read(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    client = warehouse.client(Role.READ)
    yield client
    client.close()


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock: seconds."""
    moments = [1000.0]
    monkeypatch.setattr(asked_ahead, "monotonic", lambda: moments[0])
    return moments


def build(warehouse: WarehouseProcess, number: int) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.deliveries", [a_delivery(project_id=1, file=f"{number}.log")])
    ingest.close()
    build_marts(warehouse, "delivery_daily")


def shown(read: Warehouse, statement: str = COUNT) -> int:
    """What a page shows, in a request of its own."""
    with one_snapshot(read.asked_ahead.snapshot()):
        return int(read.rows(statement, OF_PROJECT)[0]["row_count"])


def misses(read: Warehouse) -> int:
    assert read.cache is not None
    return read.cache.usage.miss_count


def test_the_first_reader_after_a_build_finds_its_answer_ready(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    for number in (1, 2, 3):
        build(warehouse, number)
        # Older versions are read until the new ones have been asked.
        assert shown(read) == max(1, number - 1)
        before = misses(read)
        read.ask_ahead()
        asked = misses(read) - before
        assert shown(read) == number
        assert (asked, misses(read) - before) == ((0, 0) if number == 1 else (1, 1))


@pytest.mark.slow
def test_what_is_computed_once_a_build_is_computed_ahead_of_readers(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    computed_ahead = list[bool]()

    def compute(client: Warehouse, _: LastBuild) -> int:
        computed_ahead.append(is_asked_ahead())
        return int(client.uncached().rows(COUNT, OF_PROJECT)[0]["row_count"])

    def seen() -> int:
        with one_snapshot(read.asked_ahead.snapshot()):
            return once_a_build(read, "count", OF_PROJECT, ["delivery_daily"], compute)[0]

    for number in (1, 2, 3):
        build(warehouse, number)
        assert seen() == max(1, number - 1)
        read.ask_ahead()
        assert seen() == number
    assert computed_ahead == [False, True, True]


@pytest.mark.slow
def test_histories_of_budgets_are_evaluated_ahead_of_readers(
    warehouse: WarehouseProcess, read: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated_ahead = list[bool]()

    def evaluated(*asked: Any) -> list[Evaluation]:
        found = outcomes(*asked)
        # Without windows whose days are built anew nothing is asked.
        evaluated_ahead.extend([is_asked_ahead()] if found else [])
        return found

    monkeypatch.setattr(histories, "outcomes", evaluated)
    known, limit = histories.Histories(), Limit("server_ms", "p95", 0)
    ingest = warehouse.client(Role.INGEST)
    for number in range(1, 4):
        insert(ingest, "errata_raw.requests", [{**CALL, "item_id": UUID(int=number)}])
        build_marts(warehouse, "endpoint_metrics_hourly")
        for is_new in (False, True):
            evaluated_ahead.clear()
            with one_snapshot(read.asked_ahead.snapshot()):
                known.all(read, 1, [limit])
            assert evaluated_ahead == ([False] if number == 1 and not is_new else [])
            evaluated_ahead.clear()
            read.ask_ahead()
            assert evaluated_ahead == ([] if number == 1 or is_new else [True])
    ingest.close()


def test_all_statements_of_a_request_read_the_same_versions(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    build(warehouse, 1)
    shown(read)
    read.ask_ahead()
    with one_snapshot(read.asked_ahead.snapshot()):
        assert read.rows(COUNT, OF_PROJECT) == [{"row_count": 1}]
        build(warehouse, 2)
        read.ask_ahead()
        assert read.rows(COUNT + " where true", OF_PROJECT) == [{"row_count": 1}]
    assert shown(read, COUNT + " where true") == 2


def test_what_was_asked_long_ago_is_not_asked_ahead(
    warehouse: WarehouseProcess, read: Warehouse, now: list[float]
) -> None:
    build(warehouse, 1)
    shown(read)
    read.ask_ahead()
    build(warehouse, 2)
    now[0] += asked_ahead.RECENT_SECONDS + 1
    before = misses(read)
    read.ask_ahead()
    assert misses(read) == before
    assert shown(read) == 2


def test_versions_nobody_looked_for_lately_are_not_held(
    warehouse: WarehouseProcess, read: Warehouse, now: list[float]
) -> None:
    build(warehouse, 1)
    shown(read)
    read.ask_ahead()
    build(warehouse, 2)
    now[0] += asked_ahead.HELD_SECONDS - 1
    assert shown(read) == 1
    now[0] += 2
    assert shown(read) == 2


def test_questions_that_fail_or_take_long_keep_nobody_from_new_versions(
    warehouse: WarehouseProcess, read: Warehouse, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(warehouse, 1)
    shown(read)
    shown(read, COUNT + " where true")
    read.ask_ahead()
    build(warehouse, 2)
    asked = list[str]()

    def slow(statement: str) -> None:
        asked.append(statement)
        now[0] += asked_ahead.AHEAD_SECONDS
        read.rows("select no_such_column from errata_mart.delivery_daily", OF_PROJECT)

    for statement in ("first", "second"):
        read.asked_ahead.note(statement, partial(slow, statement), ["errata_mart.delivery_daily"])
    read.ask_ahead()
    assert asked == ["second"]
    assert shown(read) == 2


@pytest.mark.slow
def test_questions_about_other_marts_are_not_asked_again(
    warehouse: WarehouseProcess, read: Warehouse
) -> None:
    build_marts(warehouse, "variant_daily")
    build(warehouse, 1)
    shown(read)
    shown(read, "select count() as row_count from errata_mart.variant_daily")
    read.ask_ahead()
    build(warehouse, 2)
    before = misses(read)
    read.ask_ahead()
    assert misses(read) - before == 1


def test_where_nobody_reads_no_versions_are_looked_for(warehouse: WarehouseProcess, read: Warehouse) -> None:
    build(warehouse, 1)

    with recorded() as asked:
        read.ask_ahead()
    assert asked == []
    assert shown(read) == 1


def test_counts_of_new_events_begin_before_all_versions_that_are_still_read() -> None:
    """What views leave to marts is in every version that a request may read."""
    (statement,) = sql.parse(sql.DIRECTORY / "views" / "build_progress.sql").statements
    found = re.search(r"interval (\d+) second\)", statement)
    assert found
    assert int(found[1]) > asked_ahead.HELD_SECONDS + ApiSettings().answer_seconds
    assert 2 * asked_ahead.AHEAD_SECONDS < asked_ahead.HELD_SECONDS
