"""Retention of a project over HTTP, and what ingest takes by it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.queries.delivery.stored_kinds import stored_kinds
from errata.warehouse.retention import DataKind
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.processes import WarehouseProcess

PATH = "/api/projects/web-shop/retention"


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Iterator[Api]:
    app = create_app(ApiSettings(), store, warehouse.client(Role.INGEST), warehouse.client(Role.READ))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Api(app, client, store, prepared.account)


def deliver(shop: Api, occurred_at: datetime) -> Any:
    event = {"event_id": uuid4().hex, "timestamp": occurred_at.timestamp(), "message": "x"}
    logged_at = occurred_at.isoformat()
    line = json.dumps({"type": "event", "logged_at": logged_at, "payload": event})
    headers = {**shop.key, "X-Errata-App-Key": shop.account.app_key, "Content-Type": "application/x-ndjson"}
    answer = shop.client.post("/api/ingest", content=line, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_project_keeps_fewer_days_and_takes_nothing_older(shop: Api, warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    deliver(shop, now)
    deliver(shop, now - timedelta(days=70))
    shown = shop.client.get(PATH, headers=shop.key).json()
    errors = shown["kinds"][0]
    assert (errors["kind"], errors["days"], errors["least_days"], errors["most_days"]) == (
        "errors",
        90,
        60,
        90,
    )
    assert (errors["row_count"], errors["byte_count"] > 0, errors["daily_byte_count"]) == (2, True, None)
    assert [each["kind"] for each in shown["kinds"]] == [kind.value for kind in DataKind]
    assert shown["changed_at"] is None

    refused = shop.client.put(PATH, headers=shop.key, json={"errors": 30})
    assert refused.status_code == 400 and "errors" in refused.json()["message"]
    changed = shop.client.put(PATH, headers=shop.key, json={"errors": 60, "page_loads": 400}).json()
    assert changed["kinds"][0]["days"] == 60 and changed["changed_by"].startswith("API key")
    # Kept as long as the service does: nothing of its own.
    assert shop.store.retention.get(1, "web-shop").retention.own == {DataKind.ERRORS: 60}
    deliver(shop, now - timedelta(days=57))
    deliver(shop, now - timedelta(days=70))
    admin = warehouse.client(Role.ADMIN)
    rows = admin.rows(
        "select outcome, sum(item_count) as count from errata_raw.outcomes"
        " where outcome in ('stored', 'too_old') group by outcome order by outcome"
    )
    assert {row["outcome"]: row["count"] for row in rows}.get("too_old") == 1
    assert admin.rows("select count() as count from errata_raw.error_events") == [{"count": 3}]
    admin.close()


def test_a_share_of_the_disk_is_of_the_project_alone(warehouse: WarehouseProcess) -> None:
    admin, read = warehouse.client(Role.ADMIN), warehouse.client(Role.READ)
    for project_id, count in ((7, 300), (8, 100)):
        admin.execute(
            "insert into errata_raw.sessions (project_id, session_id) "
            f"select {project_id}, generateUUIDv4() from numbers({count})"
        )
    today = datetime.now(UTC).date()
    own, other, nobodys = (
        {each.kind: each for each in stored_kinds(read, project_id, today)}[DataKind.SESSIONS]
        for project_id in (7, 8, 9)
    )
    assert (own.row_count, other.row_count, nobodys.row_count) == (300, 100, 0)
    assert own.byte_count == pytest.approx(3 * other.byte_count, abs=2) and nobodys.byte_count == 0
    admin.close()
    read.close()
