"""The API with a direct door, and what SDKs send to it."""

import gzip
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

ORGANIZATION = 1
ADDRESS = "203.0.113.5"


@dataclass
class DirectNode:
    """The API with a spool, over a real warehouse and a real state store, with one account."""

    client: TestClient
    account: FirstAccount
    store: Store
    admin: Warehouse
    spool: Path

    def path(self, kind: str = "envelope/") -> str:
        return f"/api/{self.account.project_id}/{kind}"

    def send(self, body: bytes, path: str = "", key: str | None = None, **headers: str) -> Response:
        """By the public key in X-Sentry-Auth, unless `key` names another one or none."""
        key = self.account.public_key if key is None else key
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        auth = {"X-Sentry-Auth": f"Sentry sentry_version=7, sentry_key={key}"} if key else {}
        return self.client.post(path or self.path(), content=body, headers={**auth, **named})

    def lines(self) -> list[Row]:
        """What was written to the spool."""
        files = sorted((self.spool / str(ORGANIZATION)).glob("errata-*"))
        return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]

    def events(self, count: int) -> list[Row]:
        """The stored events, once there are so many."""
        return self.rows("select project_id, message, user_ip from errata_raw.error_events", count)

    def rows(self, statement: str, count: int, seconds: float = 20.0) -> list[Row]:
        """Once there are so many."""
        until = time.monotonic() + seconds
        while True:
            rows = self.admin.rows(statement)
            if len(rows) >= count or time.monotonic() > until:
                return rows
            time.sleep(0.1)


def envelope(*items: tuple[str, bytes], **headers: Any) -> bytes:
    """Items by type and payload; `headers` of the envelope."""
    parts = [json.dumps(headers).encode()]
    for type_, payload in items:
        parts += [json.dumps({"type": type_, "length": len(payload)}).encode(), payload]
    return b"\n".join(parts)


def event(message: str = "it broke", **fields: Any) -> tuple[str, bytes]:
    return "event", json.dumps({"message": message, "platform": "python", **fields}).encode()


def zipped(body: bytes) -> bytes:
    return gzip.compress(body)


@contextmanager
def running(
    warehouse: WarehouseProcess, store: Store, account: FirstAccount, spool: Path, **settings: Any
) -> Iterator[DirectNode]:
    clients = ingest, read, admin = [warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN)]
    app = create_app(ApiSettings(gather_ms=5, spool_path=spool, **settings), store, ingest, read)
    with TestClient(app, raise_server_exceptions=False, client=(ADDRESS, 50_000)) as client:
        yield DirectNode(client, account, store, admin, spool)
    for each in clients:
        each.close()
