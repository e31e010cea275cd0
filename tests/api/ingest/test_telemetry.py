"""Every captured item of every SDK generation becomes rows that the warehouse takes."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from api.ingest.item import Rows
from api.ingest.telemetry import TYPES, rows_of
from errata.warehouse import retention
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, an_item, browser_items, payloads
from tests.processes import WarehouseProcess

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def stored(warehouse: WarehouseProcess, batches: list[Rows]) -> None:
    client = warehouse.client(Role.INGEST)
    tables: Rows = {}
    for rows in batches:
        for table, more in rows.items():
            tables.setdefault(table, []).extend(more)
    for table, rows_of_table in tables.items():
        client.insert_json_lines(table, b"\n".join(map(msgspec.json.encode, rows_of_table)))
    client.close()


def test_every_captured_item_is_stored_once_however_often_it_is_delivered(
    warehouse: WarehouseProcess,
) -> None:
    items = [item for generation in GENERATIONS for item in browser_items(generation)]
    items += [an_item("transaction", payload) for payload in payloads("python_transactions")]
    items += [
        an_item(sent["headers"]["type"], sent["payload"], headers=sent["headers"])
        for sent in payloads("javascript_items")
    ]
    once = [rows_of(item, NOW) for item in items]
    made: Counter[str] = Counter()
    for rows in once:
        made.update({table: len(found) for table, found in rows.items()})
    for _ in range(2):
        stored(warehouse, [rows_of(item, NOW) for item in items])
    client = warehouse.client(Role.ADMIN)
    for table, count in made.items():
        (counted,) = client.rows(
            f"select count() as rows, uniqExact(project_id, item_id) as ids from {table}"
        )
        assert counted == {"rows": 2 * count, "ids": count}, table
    client.close()
    assert set(made) == {
        "errata_raw.page_views",
        "errata_raw.page_resources",
        "errata_raw.requests",
        "errata_raw.spans",
        "errata_raw.sessions",
        "errata_raw.replay_segments",
    }


@pytest.mark.parametrize("item_type", sorted(TYPES))
def test_the_horizon_of_each_type_is_known(item_type: str) -> None:
    assert retention.horizon_days(item_type) > 0


def test_an_unknown_type_makes_no_rows() -> None:
    assert rows_of(an_item("feedback", {"message": "well done"}), NOW) == {}


def secrets_in(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    return [one for one in texts if isinstance(one, str) and ("pl=S" in one or "utm_" in one)]


@pytest.mark.parametrize("generation", GENERATIONS)
def test_no_query_string_reaches_a_column(generation: str) -> None:
    for item in browser_items(generation):
        for rows in rows_of(item, NOW).values():
            for row in rows:
                kept = {name: value for name, value in row.items() if name != "payload"}
                assert not any(secrets_in(value) for value in kept.values()), row
