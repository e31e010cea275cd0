"""Rows given as mappings are stored in one insert."""

from math import isnan, nan

from errata.warehouse.client import Warehouse
from errata.warehouse.python_marts import PYTHON_MARTS
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

STATUS, OUTCOMES = "errata_mart.budget_status", "errata_raw.outcomes"


def a_window(hour: int, value: float) -> dict[str, object]:
    return {"project_id": 7, "budget_id": "b", "window_end": f"2026-11-01 {hour:02}:00:00", "value": value}


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
