"""Warehouse, API and pages to be poisoned, in processes and threads of this run."""

import json
import logging
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3
import uvicorn

import api.app
from api.settings import ApiSettings
from dashboards.app import create_app
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.flow.poison.patience import allowed
from tests.flow.poison.seed import Delivery
from tests.ports import free_port
from tests.processes import WarehouseProcess, start_warehouse

ANSWERED_WITHIN_SECONDS = 30


class Tracebacks(logging.Handler):
    """Keeps the last exception that the service logged: what an answer of 500 does not tell."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.last = "".join(traceback.format_exception(record.exc_info[1], limit=-4))[-1500:]


@dataclass(frozen=True)
class Project:
    id: int
    slug: str
    app_key: str


@dataclass
class Site:
    address: str
    warehouse: WarehouseProcess
    store: Store
    account: FirstAccount
    organization_id: int
    tracebacks: Tracebacks = field(default_factory=Tracebacks)
    cookie: str = ""
    _pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(maxsize=8))
    _clients: dict[Role, Warehouse] = field(default_factory=dict)

    def client(self, role: Role) -> Warehouse:
        if role not in self._clients:
            self._clients[role] = self.warehouse.client(role)
        return self._clients[role]

    def create_project(self, name: str) -> Project:
        created = self.store.projects.create(self.organization_id, name, actor="bench")
        return Project(created.project.id, created.project.slug, created.app_key.key)

    def deliver(self, project: Project, delivery: Delivery) -> urllib3.BaseHTTPResponse:
        headers = {"X-Errata-App-Key": project.app_key, "X-Errata-Batch-Id": delivery.batch_id}
        if delivery.encoding:
            headers["Content-Encoding"] = delivery.encoding
        return self._asked("POST", "/api/ingest", headers | self._key, delivery.body)

    def rest(self, path: str) -> urllib3.BaseHTTPResponse:
        return self._asked("GET", path, self._key)

    def page(self, path: str) -> urllib3.BaseHTTPResponse:
        return self._asked("GET", path, {"Cookie": self.cookie})

    def json(self, path: str) -> Any:
        """Raises AssertionError for any answer but 200."""
        answer = self.rest(path)
        assert answer.status == 200, f"{answer.status} {path}: {answer.data[:300]!r}"
        return json.loads(answer.data)

    def sign_in(self) -> None:
        given = json.dumps({"email": self.account.email, "password": self.account.password}).encode()
        answer = self._asked("POST", "/api/auth/sign-in", {"Content-Type": "application/json"}, given)
        assert answer.status == 200, answer.data
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def close(self) -> None:
        self._pool.clear()
        for client in self._clients.values():
            client.close()

    @property
    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.account.api_key}"}

    def _asked(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
    ) -> urllib3.BaseHTTPResponse:
        return self._pool.request(
            method,
            f"{self.address}{path}",
            headers=headers,
            body=body or None,
            redirect=False,
            retries=False,
            timeout=allowed(ANSWERED_WITHIN_SECONDS),
        )


@contextmanager
def running_site(folder: Path | None = None) -> Iterator[Site]:
    """With a fresh warehouse of its own, in a folder that is removed again if none is given."""
    with tempfile.TemporaryDirectory(prefix="errata-poison-") as made:
        chosen = folder or Path(made)
        warehouse = start_warehouse(chosen / "warehouse")
        try:
            admin = warehouse.client(Role.ADMIN)
            migrate(admin)
            admin.close()
            with site_over(warehouse, chosen) as site:
                yield site
        finally:
            warehouse.stop()


@contextmanager
def site_over(warehouse: WarehouseProcess, folder: Path) -> Iterator[Site]:
    """API and pages in a thread; the warehouse has its tables and is not stopped."""
    store = Store.open(f"sqlite:///{folder}/state.db", b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Poison", "First", "owner@example.org")
    owner = store.keys.api.owner(account.api_key)
    assert owner is not None
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    # The walk judges itself what takes too long.
    mounted = api.app.create_app(ApiSettings(answer_seconds=300), store, ingest, read, base_url=address)
    server = uvicorn.Server(
        uvicorn.Config(create_app(mounted), port=port, log_level="critical", ws="none", log_config=None)
    )
    thread = threading.Thread(target=server.run, name="site")
    thread.start()
    site = Site(address, warehouse, store, account, owner.organization_id)
    logging.getLogger().addHandler(site.tracebacks)
    try:
        _wait_until(server, thread)
        site.sign_in()
        yield site
    finally:
        logging.getLogger().removeHandler(site.tracebacks)
        server.should_exit = True
        thread.join()
        site.close()
        ingest.close()
        read.close()
        store.close()


def _wait_until(server: uvicorn.Server, thread: threading.Thread) -> None:
    while not server.started:
        assert thread.is_alive(), "the site ended before it answered"
        thread.join(0.02)
