"""The API over a real state store with one account. Its warehouse is away: what needs one asks for it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.warehouse.client import Warehouse
from tests.conftest import IS_POSTGRESQL
from tests.postgres import PostgresServer

CLIENT = "203.0.113.7"
SECRET = b"s" * 48
# The discard port: nothing listens there.
NOWHERE = "http://nobody:nothing@127.0.0.1:9"


@dataclass
class Api:
    app: FastAPI
    client: TestClient
    store: Store
    account: FirstAccount

    @property
    def key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.account.api_key}"}

    def sign_in(self) -> dict[str, str]:
        """The client keeps the cookie; the answer is the header that changes need."""
        given = {"email": self.account.email, "password": self.account.password}
        answer = self.client.post("/api/auth/sign-in", json=given)
        assert answer.status_code == 200
        return {"X-CSRF-Token": answer.json()["csrf_token"]}

    def error(self, status: int, method: str, path: str, **request: Any) -> str:
        """The code of an answer that must be this failure, in the one shape."""
        answer = self.client.request(method, path, **request)
        assert answer.status_code == status, answer.text
        body = answer.json()
        assert {"error", "message", "request_id"} <= set(body) <= {"error", "message", "request_id", "valid"}
        assert body["request_id"] == answer.headers["X-Request-Id"]
        assert body["message"]
        return str(body["error"])


@dataclass(frozen=True)
class Prepared:
    """A migrated store with one account, copied for each test: hashing a password takes its time."""

    url: str
    account: FirstAccount


@pytest.fixture(scope="session")
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    url = f"sqlite:///{tmp_path_factory.mktemp('state') / 'state.db'}"
    if IS_POSTGRESQL:
        url = request.getfixturevalue("postgres").create_database()
    store = Store.open(url, SECRET)
    store.migrate()
    account = store.accounts.create_first("Acme", "Web shop", "owner@example.org")
    # The last connection to close empties the write-ahead log into the file.
    store.close()
    return Prepared(url, account)


@pytest.fixture
def prepared_url(prepared: Prepared, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return copy_of(prepared, request, tmp_path)


def copy_of(prepared: Prepared, request: pytest.FixtureRequest, folder: Path) -> str:
    """The URL of a copy of the prepared store, which is in the folder if it is a file."""
    if IS_POSTGRESQL:
        server: PostgresServer = request.getfixturevalue("postgres")
        return server.create_database(like=prepared.url)
    shutil.copy(prepared.url.removeprefix("sqlite:///"), folder / "state.db")
    return f"sqlite:///{folder}/state.db"


@pytest.fixture
def store(prepared_url: str) -> Iterator[Store]:
    opened = Store.open(prepared_url, SECRET)
    yield opened
    opened.close()


@pytest.fixture
def api(store: Store, prepared: Prepared) -> Iterator[Api]:
    app = create_app(ApiSettings(), store, Warehouse(NOWHERE), Warehouse(NOWHERE))
    with TestClient(
        app, raise_server_exceptions=False, follow_redirects=False, client=(CLIENT, 50000)
    ) as client:
        yield Api(app, client, store, prepared.account)
