"""From delivered lines to the performance tables: figures are the same however often lines come."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, browser_items, moved, moved_to, payloads
from tests.mart_builds import build_performance
from tests.processes import WarehouseProcess


class Service:
    """The API over a real warehouse, and the keys of its one project."""

    def __init__(self, client: TestClient, api_key: str, app_key: str) -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {api_key}"}
        self.app_key = app_key

    def deliver(self, lines: list[str], batch_id: str) -> None:
        own = {"X-Errata-App-Key": self.app_key, "X-Errata-Batch-Id": batch_id}
        answer = self.client.post(
            "/api/ingest", content="\n".join(lines).encode(), headers={**self.headers, **own}
        )
        assert answer.status_code == 200, answer.text
        assert (answer.json()["accepted"], answer.json()["rejected"]) == (len(lines), [])

    def figures(self) -> dict[str, Any]:
        """Every row of every table, without the moment it was built."""
        return {
            path: self.client.get(f"/api/projects/web-shop/performance/{path}", headers=self.headers).json()[
                path.partition("?")[0]
            ]
            for path in ("pages", "endpoints", "endpoints?side=page", "trends", "trends?metric=inp_ms")
        }


@pytest.fixture
def service(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Service]:
    state = Store.open(f"sqlite:///{tmp_path}/state.db", b"s" * 48)
    state.migrate()
    account = state.accounts.create_first("Acme", "Web shop", "owner@example.org")
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    with TestClient(create_app(ApiSettings(), state, ingest, read)) as client:
        yield Service(client, account.api_key, account.app_key)
    for opened in (ingest, read):
        opened.close()
    state.close()


def lines() -> list[str]:
    """Captured browsers and servers as log lines of this hour."""
    now = datetime.now(UTC)
    by, logged_at = moved_to(now), now.isoformat()
    items = [
        {"type": item.type, "headers": item.headers, "payload": item.payload}
        for generation in GENERATIONS
        for item in browser_items(generation, by, ("transaction", "span"))
    ]
    servers = list(payloads("python_transactions"))[::3]
    items += [{"type": "transaction", "payload": moved(payload, by)} for payload in servers]
    return [json.dumps({**item, "logged_at": logged_at}) for item in items]


@pytest.mark.slow
def test_lines_delivered_three_times_count_once_at_every_read(
    warehouse: WarehouseProcess, service: Service
) -> None:
    delivered = lines()
    service.deliver(delivered, "first")
    build_performance(warehouse)
    once = service.figures()
    loads = [row for row in once["pages"] if row["navigation_type"] == "navigate"]
    assert sum(row["view_count"] for row in loads) == 109
    assert sum(row["call_count"] for row in once["endpoints"]) == 67
    for number in range(2):
        service.deliver(delivered, f"again-{number}")
        assert service.figures() == once
        build_performance(warehouse)
        assert service.figures() == once
    service.deliver(delivered, "first")
    assert service.figures() == once
