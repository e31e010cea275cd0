"""Rows given as mappings are stored in one insert."""

import time
from datetime import UTC, datetime
from math import isnan, nan

import pytest

from api.ingest.values import warehouse_time
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.python_marts import PYTHON_MARTS
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

STATUS, OUTCOMES = "errata_mart.budget_status", "errata_raw.outcomes"
EVENTS = "errata_raw.error_events"


def a_window(hour: int, value: float) -> dict[str, object]:
    return {
        "project_id": 7,
        "budget_id": "b",
        "window_end": datetime(2026, 11, 1, hour, tzinfo=UTC),
        "value": value,
    }


def test_what_is_no_number_is_stored_too(warehouse: WarehouseProcess) -> None:
    builder = warehouse.client(Role.BUILD)
    builder.insert_rows(STATUS, iter([a_window(1, nan), a_window(2, 0.5)]))
    first, second = builder.rows(f"select value from {STATUS} order by window_end")
    assert isnan(first["value"]) and second["value"] == 0.5


def test_rows_of_one_token_are_stored_once(warehouse: WarehouseProcess) -> None:
    ingest, admin = warehouse.client(Role.INGEST), warehouse.client(Role.ADMIN)
    for token in ("first", "first", "second", "", ""):
        ingest.insert_rows(OUTCOMES, [{"project_id": 7, "outcome": "too_old"}], token)
    assert admin.rows(f"select count() as count from {OUTCOMES}") == [{"count": 4}]


def test_every_table_that_rows_are_inserted_into_knows_repeated_inserts(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    lacking = admin.rows(
        """
        select database, name
        from system.tables
        where
            -- Of other engines a repeated row replaces itself.
            engine = 'MergeTree'
            and (database = 'errata_raw' or name in {marts:Array(String)})
            and create_table_query not like '%non_replicated_deduplication_window%'
        """,
        {"marts": [table.partition(".")[2] for mart in PYTHON_MARTS for table in mart.tables]},
    )
    assert lacking == []


def test_an_acknowledged_insert_is_on_the_disk_in_every_mart(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    lacking = admin.rows(
        """
        select name
        from system.tables
        where
            database = 'errata_mart'
            and engine like '%MergeTree'
            and create_table_query not like '%fsync_after_insert = 1%'
        """
    )
    assert lacking == []


def test_without_rows_nothing_is_asked() -> None:
    Warehouse("http://nobody:none@127.0.0.1:1").insert_rows(STATUS, [])


def test_rows_that_name_other_columns_are_stored_beside_each_other(warehouse: WarehouseProcess) -> None:
    ingest, admin = warehouse.client(Role.INGEST), warehouse.client(Role.ADMIN)
    rows = [{"project_id": 8, "outcome": "a", "item_count": 3}, {"project_id": 8, "outcome": "b"}]
    ingest.insert_rows(OUTCOMES, rows, "both")
    ingest.insert_rows(OUTCOMES, rows, "both")
    found = f"select outcome, item_count from {OUTCOMES} where project_id = 8 order by outcome"
    assert admin.rows(found) == [{"outcome": "a", "item_count": 3}, {"outcome": "b", "item_count": 0}]


@pytest.mark.parametrize(
    "row", [{"project_id": "x"}, {"project_id": -1}, {"no_column": 1}, {"outcome": None}]
)
def test_a_value_that_is_none_of_its_column_is_refused_before_it_is_sent(
    warehouse: WarehouseProcess, row: dict[str, object]
) -> None:
    ingest, admin = warehouse.client(Role.INGEST), warehouse.client(Role.ADMIN)
    with pytest.raises(QueryFailed):
        ingest.insert_rows(OUTCOMES, [{"project_id": 9, "outcome": "a"}, {**row, "service": "x"}])
    assert admin.rows(f"select count() as count from {OUTCOMES} where project_id = 9") == [{"count": 0}]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_a_moment_is_stored_as_it_is_wherever_the_machine_is(
    warehouse: WarehouseProcess, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = datetime(2026, 3, 8, 2, 30, 0, 123_000, tzinfo=UTC)
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        rows = [
            {"project_id": 10, "message": told, "occurred_at": at}
            for told, at in {"text": warehouse_time(moment), "object": moment}.items()
        ]
        for row in rows:
            warehouse.client(Role.INGEST).insert_rows(EVENTS, [row])
    finally:
        monkeypatch.undo()
        time.tzset()
    found = warehouse.client(Role.ADMIN).rows(
        f"select toUnixTimestamp64Milli(occurred_at) as at from {EVENTS} where project_id = 10"
    )
    assert found == [{"at": round(moment.timestamp() * 1000)}] * 2
