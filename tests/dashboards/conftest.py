"""The assembled pages: over a warehouse that is away, and over the real one."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import pytest
import uvicorn
from starlette.testclient import TestClient

import api.app
from api.settings import ApiSettings
from dashboards.app import create_app
from errata.alerts.mail import MailServer
from errata.settings import load
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.dashboards.browser import watched as watched
from tests.processes import WarehouseProcess, free_port

CLIENT = "203.0.113.7"
NOWHERE = "http://127.0.0.1:1"


@dataclass
class Site:
    """Pages and API in this process, and their first account."""

    client: TestClient
    store: Store
    account: FirstAccount

    def sign_in(self) -> TestClient:
        fields = {"email": self.account.email, "password": self.account.password, "next": "/projects"}
        answer = self.client.post("/api/auth/sign-in", data=fields)
        assert answer.url.path == "/projects"
        return self.client

    def deliver(self, lines: list[bytes]) -> None:
        headers = {
            "Authorization": f"Bearer {self.account.api_key}",
            "X-Errata-App-Key": self.account.app_key,
        }
        answer = self.client.post("/api/ingest", content=b"\n".join(lines), headers=headers)
        assert answer.json()["rejected"] == []

    def tell(self, source: str) -> None:
        """A report without lines."""
        headers = {
            "Authorization": f"Bearer {self.account.api_key}",
            "X-Errata-App-Key": self.account.app_key,
            "X-Errata-Source": source,
        }
        assert self.client.post("/api/ingest", headers=headers).status_code == 200


@pytest.fixture
def store(state_url: str) -> Iterator[Store]:
    store = Store.open(state_url, b"s" * 32)
    store.migrate()
    yield store
    store.close()


@pytest.fixture
def site(store: Store) -> Iterator[Site]:
    """Its warehouse does not answer."""
    away = Warehouse(NOWHERE)
    yield from _running(store, away, away)


@pytest.fixture
def live_site(store: Store, warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Its warehouse is real and empty. What is sent to it is on the next page: none shares its answers."""
    monkeypatch.setattr("errata.warehouse.client.SHARED_SECONDS", 0)
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    yield from _running(store, ingest, read)
    ingest.close()
    read.close()


@pytest.fixture
def narrow_site(store: Store, warehouse: WarehouseProcess) -> Iterator[Site]:
    """Its warehouse is real; no question has the memory it needs."""
    ingest = warehouse.client(Role.INGEST)
    narrow = Warehouse(warehouse.url(Role.READ), settings={"max_memory_usage": 1, "max_untracked_memory": 0})
    yield from _running(store, ingest, narrow)
    ingest.close()
    narrow.close()


@pytest.fixture
def address(live_site: Site) -> Iterator[str]:
    with served(live_site) as address:
        yield address


@contextmanager
def served(site: Site) -> Iterator[str]:
    """The address at which browsers find it."""
    port = free_port()
    settings = uvicorn.Config(site.client.app, port=port, log_level="error", lifespan="off", ws="none")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def _running(
    store: Store,
    ingest: Warehouse,
    read: Warehouse,
    mail: MailServer | None = None,
    environ: Mapping[str, str] | None = None,
) -> Iterator[Site]:
    account = store.accounts.create_first("Shop Ltd", "Shop", "owner@shop.example")
    with TemporaryDirectory() as spool:
        own = {"ERRATA_API_ANSWER_SECONDS": "60", "ERRATA_API_SPOOL_PATH": spool}
        settings = load(ApiSettings, {**own, **(environ or {})})
        mounted = api.app.create_app(settings, store, ingest, read, base_url="http://testserver", mail=mail)
        with TestClient(create_app(mounted), raise_server_exceptions=False, client=(CLIENT, 50000)) as client:
            yield Site(client, store, account)


site_of = contextmanager(_running)
