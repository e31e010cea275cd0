"""`errata migrate` brings no warehouse and account store together of which only one has data."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from errata.endings import FINAL_EXIT_CODE
from errata.warehouse.roles import Role
from tests.errata.backup.test_interrupted_restore import errata
from tests.processes import WarehouseProcess, start_warehouse
from tests.small_service import SmallService, events, small_service

VARIABLES = {
    "ERRATA_WAREHOUSE_URL": Role.INGEST,
    "ERRATA_WAREHOUSE_ADMIN_URL": Role.ADMIN,
    "ERRATA_WAREHOUSE_BUILD_URL": Role.BUILD,
    "ERRATA_WAREHOUSE_READ_URL": Role.READ,
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallService]:
    with small_service(tmp_path_factory.mktemp("one") / "data") as found:
        yield found


def refusal(warehouse: WarehouseProcess, state_url: str) -> str:
    settings = {name: warehouse.url(role) for name, role in VARIABLES.items()}
    done = errata("migrate", **settings, ERRATA_STATE_URL=state_url, ERRATA_SECRET="s" * 40)
    assert done.returncode == FINAL_EXIT_CODE and "Traceback" not in done.stderr, done
    return done.stderr


@pytest.mark.slow
def test_rows_beside_an_empty_account_store_are_refused(service: SmallService, tmp_path: Path) -> None:
    said = refusal(service.warehouse, f"sqlite:///{tmp_path / 'state.db'}")
    assert "has 2 rows of a service, but the account store is empty" in said
    assert events(service.warehouse) == {service.erased, service.kept}


def test_accounts_beside_an_empty_warehouse_are_refused(service: SmallService, tmp_path: Path) -> None:
    other = start_warehouse(tmp_path / "other")
    said = refusal(other, service.data.state_url)
    assert "The account store has accounts, but the warehouse at" in said
    with closing(other.client(Role.ADMIN)) as client:
        assert client.rows("select name from system.databases where startsWith(name, 'errata')") == []
    other.stop()


@pytest.mark.slow
def test_an_account_store_of_a_newer_version_is_refused_before_the_warehouse_is_touched(
    service: SmallService, tmp_path: Path
) -> None:
    path = shutil.copyfile(service.data.state_path, tmp_path / "state.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update alembic_version set version_num = '9000'")
    with closing(service.warehouse.client(Role.ADMIN)) as client:
        client.execute("delete from errata_ops.migrations where 1")
        said = refusal(service.warehouse, f"sqlite:///{path}")
        assert "errata: The account store is at revision 9000, newer than this version of Errata. " in said
        assert client.rows("select name from errata_ops.migrations") == []
