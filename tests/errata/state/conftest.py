"""The store on SQLite and on a real PostgreSQL, with a clock that a test can move."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.state import Store
from errata.state.accounts import FirstAccount
from tests.postgres import PostgresServer, emptied

SECRET = b"a secret of more than sixteen bytes"


@dataclass
class Clock:
    now: datetime = field(default_factory=lambda: datetime(2026, 11, 21, 10, 0, tzinfo=UTC))

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.db"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def migrated_database(postgres: PostgresServer) -> str:
    url = postgres.create_database()
    _migrate(url)
    return url


def _migrate(url: str) -> None:
    store = Store.open(url, SECRET)
    store.migrate()
    store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_state_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def state_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty store with every migration, which is not made anew for each test."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("migrated_file"), tmp_path / "state.db")
        return f"sqlite:///{tmp_path}/state.db"
    url: str = request.getfixturevalue("migrated_database")
    emptied(url)
    return url


@pytest.fixture
def store(state_url: str, clock: Clock) -> Iterator[Store]:
    opened = Store.open(state_url, SECRET, clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def account(store: Store) -> FirstAccount:
    return store.accounts.create_first("Acme", "Web shop", "owner@example.org")


@pytest.fixture
def organization_id(store: Store, account: FirstAccount) -> int:
    owner = store.keys.api.owner(account.api_key)
    assert owner is not None
    return owner.organization_id
