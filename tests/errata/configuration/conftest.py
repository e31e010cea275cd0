"""Empty stores with every migration, on SQLite and on a real PostgreSQL."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errata.state import Store
from tests.configured import SECRET, Configured, begun
from tests.postgres import PostgresServer, emptied


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("state") / "state.db"
    with closing(Store.open(f"sqlite:///{path}", SECRET)) as store:
        store.migrate()
    return path


@pytest.fixture(scope="session")
def migrated_database(postgres: PostgresServer) -> str:
    url = postgres.create_database()
    with closing(Store.open(url, SECRET)) as store:
        store.migrate()
    return url


@pytest.fixture
def state_file(tmp_path: Path, migrated_file: Path) -> Path:
    return Path(shutil.copy(migrated_file, tmp_path / "state.db"))


@pytest.fixture
def configured(state_file: Path) -> Iterator[Configured]:
    with closing(Store.open(f"sqlite:///{state_file}", SECRET)) as store:
        yield begun(store)


@pytest.fixture
def another(tmp_path: Path, migrated_file: Path) -> Iterator[Configured]:
    """A second service, which knows nothing of the first."""
    path = shutil.copy(migrated_file, tmp_path / "another.db")
    with closing(Store.open(f"sqlite:///{path}", SECRET[::-1])) as store:
        yield begun(store)


@pytest.fixture
def on_postgresql(migrated_database: str) -> Iterator[Configured]:
    emptied(migrated_database)
    with closing(Store.open(migrated_database, SECRET)) as store:
        yield begun(store)
