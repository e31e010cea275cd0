"""The API over a real warehouse, with uploads and the job that reads variants through them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.testclient import TestClient

from api.app import create_app
from api.context import Context
from api.settings import ApiSettings
from api.variant_mapping import VariantMapping
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.capability import Capability
from errata.state.projects import Project
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role
from tests.browser_builds import lines, zipped
from tests.processes import WarehouseProcess, free_port


@dataclass
class Uploading:
    client: TestClient
    context: Context
    store: Store
    account: FirstAccount
    admin: Warehouse
    organization_id: int
    project: Project

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.account.api_key}"}

    def token(self, capability: Capability = Capability.UPLOAD) -> str:
        tokens = self.store.project_tokens
        return tokens.create(
            self.organization_id, self.project.slug, [capability], "CI", 30, actor="owner"
        ).text

    def deliver(self, events: list[dict[str, Any]]) -> None:
        headers = {**self.headers, "X-Errata-App-Key": self.account.app_key}
        answer = self.client.post("/api/ingest", content=lines(events), headers=headers)
        assert answer.status_code == 200 and answer.json()["accepted"] == len(events), answer.text

    def upload(self, directory: Path, release: str, prefix: str = "~/", **more: str) -> dict[str, Any]:
        parameters = {"release": release, "prefix": prefix, **more}
        answer = self.client.post(
            f"{self.path}/sourcemaps", params=parameters, content=zipped(directory), headers=self.headers
        )
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def map_variants(self) -> int:
        """As the job does, to the end."""
        mapping = VariantMapping(
            self.context.state, self.context.warehouse, self.context.read, self.project.id
        )
        total = 0
        while count := mapping.map_batch():
            total += count
        return total

    def get(self, path: str, **parameters: str | int) -> Any:
        answer = self.client.get(path, params=parameters, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    @property
    def path(self) -> str:
        return f"/api/projects/{self.project.slug}"


@contextmanager
def uploading(
    warehouse: WarehouseProcess,
    directory: Path,
    base_url: str = "http://127.0.0.1:8000",
    settings: ApiSettings | None = None,
) -> Iterator[Uploading]:
    store = Store.open(f"sqlite:///{directory / 'state.db'}", b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    roles = (Role.INGEST, Role.READ, Role.ADMIN, Role.ANALYST)
    ingest, read, admin, analysts = (warehouse.client(role) for role in roles)
    app = create_app(
        settings or ApiSettings(gather_ms=5), store, ingest, read, analysts=analysts, base_url=base_url
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        ((organization_id, project),) = store.projects.all()
        yield Uploading(client, app.state.context, store, account, admin, organization_id, project)
    for connection in (ingest, read, admin, analysts):
        connection.close()
    store.close()


@contextmanager
def serving(warehouse: WarehouseProcess, directory: Path) -> Iterator[tuple[Uploading, str]]:
    """The same on a port, with its address."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    with uploading(warehouse, directory, address) as api:
        configuration = uvicorn.Config(api.client.app, port=port, log_level="warning", lifespan="off")
        server = uvicorn.Server(configuration)
        thread = threading.Thread(target=server.run)
        thread.start()
        deadline = time.monotonic() + 10
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        yield api, address
        server.should_exit = True
        thread.join(10)
