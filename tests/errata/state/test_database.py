import sqlite3
import sys
from pathlib import Path

import pytest

from errata.errors import InvalidSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.database import parsed_url
from errata.state.errors import StateUnavailable
from tests.cases import each
from tests.errata.state.conftest import SECRET, Clock
from tests.postgres import PostgresServer


def test_a_database_that_is_away_is_unavailable(tmp_path: Path) -> None:
    store = Store.open("postgresql://nobody:pass@127.0.0.1:9/none", SECRET)
    with pytest.raises(StateUnavailable):
        store.ping()
    with pytest.raises(StateUnavailable):
        store.keys.api.owner("errata_api_" + "x" * 40)
    store.close()


def test_connections_that_the_server_ended_are_replaced_unnoticed(
    postgres: PostgresServer, clock: Clock
) -> None:
    url = postgres.create_database()
    store = Store.open(url, SECRET, clock=clock)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    assert store.keys.api.owner(account.api_key) is not None
    with Store.open(url, SECRET).database.writing() as connection:
        connection.exec_driver_sql(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )
    assert store.keys.api.owner(account.api_key) is not None
    store.close()


def test_a_writer_that_finds_the_file_locked_for_long_gives_up(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.state.database.BUSY_TIMEOUT_MS", 100)
    store = Store.open(f"sqlite:///{tmp_path}/state.db", SECRET, clock=clock)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    other = sqlite3.connect(tmp_path / "state.db", isolation_level=None)
    other.execute("begin immediate")
    assert store.keys.api.owner(account.api_key) is not None
    with pytest.raises(StateUnavailable):
        store.sessions.sign_in(account.email, account.password)
    other.execute("rollback")
    other.close()
    assert store.sessions.sign_in(account.email, account.password) is not None
    store.close()


def test_committed_keys_survive_without_a_clean_close(
    store: Store, account: FirstAccount, state_url: str
) -> None:
    again = Store.open(state_url, SECRET)
    assert again.keys.api.owner(account.api_key) is not None
    again.close()


@each(
    "url",
    ["", "nonsense", "mysql://u:pass@h/d", "sqlite://", "sqlite:///:memory:", "oracle://h/d"],
)
def test_an_impossible_url_is_said_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidSettings, match="ERRATA_STATE_URL") as raised:
        Store.open(url, SECRET)
    assert "pass" not in str(raised.value)


@each("scheme", ["postgresql", "postgres", "postgresql+psycopg2", "postgresql+asyncpg"])
def test_every_way_to_write_a_postgresql_url_means_the_same(scheme: str) -> None:
    assert parsed_url(f"{scheme}://u:p@h/d").drivername == "postgresql+psycopg2"


def test_without_its_driver_the_extra_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    with pytest.raises(InvalidSettings, match="psycopg2-binary"):
        Store.open("postgresql://u:p@127.0.0.1:9/d", SECRET)
