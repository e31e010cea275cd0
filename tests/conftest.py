"""One real warehouse process for the test session; every test that asks for it finds its tables empty."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from errata.state import password_hashes
from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.bare_server import migrated_server
from tests.postgres import PostgresServer, find_binaries
from tests.processes import WarehouseProcess, start_warehouse
from tests.replicas import replicas_with_keeper
from tests.shards import two_shards

# The folders of the longest tests: begun last, one of two processes would wait for the other's. The services
# of `flow` keep every core busy, and a page that a browser of `dashboards` opens must respond within 10 s.
FIRST = ("flow", "dashboards")

# `WAREHOUSE=server` runs tests of the warehouse against a server of one's own, as far as the engine goes.
# `WAREHOUSE=shards` runs them against two shards of a cluster.
IS_SERVER = os.environ.get("WAREHOUSE") == "server"
IS_CLUSTER = os.environ.get("WAREHOUSE") == "shards"
# `WAREHOUSE=replicas` runs them against two replicas, as far as tests do not ask one of them by itself.
IS_REPLICATED = os.environ.get("WAREHOUSE") == "replicas"

# `STATE=postgresql` gives tests of the API and of pages a state store on a real PostgreSQL, not on SQLite.
# Tests of the store itself, in tests/errata/state, always run on both.
IS_POSTGRESQL = os.environ.get("STATE") == "postgresql"

# Right answers are tested, not their time: beside two other processes a page may need more than 10 s.
os.environ.setdefault("ERRATA_API_ANSWER_SECONDS", "60")

# Hundreds of passwords are guessed. The real cost is tested in tests/errata/state/test_passwords.py.
password_hashes.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
password_hashes.nobodys_hash = password_hashes.hasher.hash("nobody's password")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    folders = {folder: place for place, folder in enumerate(FIRST)}
    items.sort(key=lambda item: folders.get(item.path.relative_to(tests).parts[0], len(FIRST)))


@pytest.fixture(scope="session")
def warehouse_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarehouseProcess]:
    if IS_REPLICATED:
        with replicas_with_keeper(tmp_path_factory.mktemp("warehouse"), 2) as replicas:
            replicas.migrate()
            yield replicas
        return
    start = migrated_server if IS_SERVER else two_shards if IS_CLUSTER else start_warehouse
    running = start(tmp_path_factory.mktemp("warehouse") / "data")
    admin = running.client(Role.ADMIN)
    for shard in admin.shards():
        migrate(shard)
    admin.close()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    binaries = find_binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server binary was found")
    server = PostgresServer(binaries)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def state_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of an empty state store."""
    if not IS_POSTGRESQL:
        return f"sqlite:///{tmp_path}/state.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.create_database()


@pytest.fixture
def warehouse(warehouse_process: WarehouseProcess) -> WarehouseProcess:
    """The running warehouse with every table of ours empty."""
    empty(warehouse_process)
    return warehouse_process


@pytest.fixture(scope="module")
def warehouse_of_module(warehouse_process: WarehouseProcess) -> WarehouseProcess:
    """Emptied once, for tests that only read what one fixture of their file has put there."""
    empty(warehouse_process)
    return warehouse_process


def empty(running: WarehouseProcess) -> None:
    admin = running.client(Role.ADMIN)
    for shard in admin.shards():
        tables = shard.rows(
            "select database, name as table, total_rows from system.tables "
            "where database in ('errata_raw', 'errata_mart', 'errata_ops') and engine like '%MergeTree' "
            "and name not in ('migrations', 'mart_models')"
        )
        for row in tables:
            if row["total_rows"]:
                shard.execute(f"truncate table {row['database']}.{row['table']} sync")
    admin.close()
