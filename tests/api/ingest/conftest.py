from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess


@dataclass
class IngestNode:
    """The API over a real warehouse and a real state store, with one account."""

    client: TestClient
    account: FirstAccount
    store: Store
    admin: Warehouse

    def deliver(self, body: bytes, **headers: str) -> tuple[int, Row]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        defaults = {
            "Authorization": f"Bearer {self.account.api_key}",
            "X-Errata-App-Key": self.account.app_key,
            "Content-Type": "application/x-ndjson",
        }
        # As bytes: a header may hold what is not ASCII.
        sent = {name.encode(): value.encode("latin-1") for name, value in {**defaults, **named}.items()}
        answer = self.client.post("/api/ingest", content=body, headers=sent)
        return answer.status_code, answer.json()

    def count(self, table: str) -> int:
        return int(self.admin.rows(f"select count() as row_count from {table}")[0]["row_count"])


@pytest.fixture
def node(warehouse: WarehouseProcess, state_url: str) -> Iterator[IngestNode]:
    store = Store.open(state_url, b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    ingest, read, admin = (warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN))
    app = create_app(ApiSettings(gather_ms=5), store, ingest, read)
    with TestClient(app, raise_server_exceptions=False) as client:
        yield IngestNode(client, account, store, admin)
    for connection in (ingest, read, admin):
        connection.close()
    store.close()
