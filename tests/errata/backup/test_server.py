"""Backup and restore of a ClickHouse server of one's own, with the state store in SQLite or PostgreSQL."""

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from errata.backup.directory import BackupDirectory
from errata.backup.manifest import NAME, read_manifest
from errata.backup.sections import RAW, SECTIONS, WRITTEN_FIRST, WRITTEN_LAST
from errata.backup.state_store import FILES, copy_state
from errata.backup.warehouse import RESTORING
from errata.endings import FINAL_EXIT_CODE
from errata.state import Store
from errata.state.database import parsed_url
from errata.state.errors import StateTooNew
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.configuration import users_file
from errata.warehouse.logins import Login
from errata.warehouse.roles import Role
from tests.bare_server import PROGRAMS, BareServer, bare_server
from tests.errata.backup.test_damage import rewrite
from tests.errata.backup.test_interrupted_restore import MOMENTS, errata, restored_until
from tests.postgres import PostgresServer

SECRET = "s" * 40
OUTCOMES = (
    b'{"project_id": 1, "item_type": "event", "outcome": "stored", "batch_id": "b", "item_count": %d}\n'
)
VARIABLES = {
    Role.INGEST: "ERRATA_WAREHOUSE_URL",
    Role.BUILD: "ERRATA_WAREHOUSE_BUILD_URL",
    Role.READ: "ERRATA_WAREHOUSE_READ_URL",
    Role.ANALYST: "ERRATA_WAREHOUSE_ANALYST_URL",
}


def settings(server: BareServer, state_url: str) -> dict[str, str]:
    return {
        **{VARIABLES[role]: server.url(f"site_{role.name.lower()}", "x") for role in PROGRAMS},
        "ERRATA_WAREHOUSE_ADMIN_URL": server.url(),
        "ERRATA_STATE_URL": state_url,
        "ERRATA_SECRET": SECRET,
    }


def command(
    server: BareServer, state_url: str, *arguments: str | Path, **more: str
) -> "subprocess.CompletedProcess[str]":
    return errata(*arguments, **settings(server, state_url) | more)


def prepared(directory: Path) -> BareServer:
    server = bare_server(directory)
    server.users_folder.mkdir(parents=True)
    logins = {role: Login.of(f"http://site_{role.name.lower()}:x@host") for role in PROGRAMS}
    (server.users_folder / "errata.xml").write_text(users_file(logins))
    return server


def outcomes(server: BareServer) -> list[int]:
    warehouse = Warehouse(server.url())
    rows = warehouse.rows("select item_count from errata_raw.outcomes order by item_count")
    warehouse.close()
    return [row["item_count"] for row in rows]


def insert(server: BareServer, count: int) -> None:
    warehouse = Warehouse(server.url())
    warehouse.insert_json_lines("errata_raw.outcomes", OUTCOMES % count)
    warehouse.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def state_urls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Of a service and of the one it is restored to."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/other.db"
    else:
        postgres: PostgresServer = request.getfixturevalue("postgres")
        yield postgres.create_database(), postgres.create_database()


@pytest.mark.slow
def test_a_server_is_restored_to_another(tmp_path: Path, state_urls: tuple[str, str]) -> None:
    server, other = prepared(tmp_path / "server"), prepared(tmp_path / "other")
    first, second = state_urls
    with server.running():
        assert (done := command(server, first, "migrate")).returncode == 0, done.stderr
        store = Store.open(first, SECRET.encode())
        account = store.accounts.create_first("Acme", "Shop", "ada@shop.example")
        store.close()
        insert(server, 3)
        assert (done := command(server, first, "backup", server.backups)).returncode == 0, done.stderr
        insert(server, 4)
        assert (done := command(server, first, "backup", server.backups)).returncode == 0, done.stderr
        insert(server, 5)
        # To a server that has something already.
        refused = command(server, second, "restore", server.backups)
        assert (refused.returncode, "has errata_" in refused.stderr) == (1, True), refused.stderr
        assert outcomes(server) == [3, 4, 5]
    shutil.copytree(server.backups, other.backups)
    with other.running():
        # A restore that fails after the warehouse's part leaves nothing in its way.
        if first.startswith("sqlite"):
            failed = command(other, "sqlite:////proc/no/state.db", "restore", other.backups)
            assert (failed.returncode, "can't be written" in failed.stderr) == (1, True), failed.stderr
        # Nor does one that was killed: it leaves its mark.
        with closing(Warehouse(other.url())) as warehouse:
            warehouse.execute(f"create database {RESTORING.partition('.')[0]}")
            warehouse.execute(f"create table {RESTORING} (nothing UInt8) engine = Memory")
            for arguments in (("migrate",), ("backup", other.backups)):
                refused = command(other, first, *arguments)
                assert refused.returncode == FINAL_EXIT_CODE, refused.stderr
                assert "was interrupted" in refused.stderr, refused.stderr
            refused = command(other, second, "restore", other.backups)
            assert (refused.returncode, "has errata_ops already" in refused.stderr) == (1, True), (
                refused.stderr
            )
            warehouse.execute(f"drop database {RESTORING.partition('.')[0]} sync")
        assert (done := command(other, second, "restore", other.backups)).returncode == 0, done.stderr
        assert outcomes(other) == [3, 4]
        assert (done := command(other, second, "migrate")).returncode == 0, done.stderr
        store = Store.open(second, SECRET.encode())
        assert store.keys.api.owner(account.api_key) is not None
        with store.database.writing() as connection:
            connection.exec_driver_sql("update alembic_version set version_num = '9000'")
        store.close()
        # Of a newer version, it is neither migrated nor copied, nor is a copy of it restored.
        before = BackupDirectory(other.backups).complete()
        for arguments in (("migrate",), ("backup", other.backups)):
            refused = command(other, second, *arguments)
            assert refused.stderr.splitlines()[-1] == f"errata: {StateTooNew('9000')}"
            assert refused.returncode == FINAL_EXIT_CODE
        assert BackupDirectory(other.backups).complete() == before
        folder = other.backups / before[-1]
        copied = FILES[copy_state(second, folder)]
        content = (folder / copied).read_bytes()
        known = json.loads((folder / NAME).read_text())["backup"]["files"]
        known[copied] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
        rewrite(folder, files=known)
        refused = command(other, second, "restore", other.backups)
        assert refused.returncode == 1 and "account store at revision 9000" in refused.stderr, refused.stderr


def contents(server: BareServer) -> dict[str, str]:
    """Each table with a hash of its rows."""
    with closing(Warehouse(server.url())) as warehouse:
        tables = warehouse.rows(
            "select concat(database, '.', name) as name from system.tables "
            "where database in ('errata_raw', 'errata_mart', 'errata_ops') and engine like '%MergeTree'"
        )
        rows = "select toString((count(), sum(cityHash64(*)))) as found from "
        return {row["name"]: warehouse.rows(rows + row["name"])[0]["found"] for row in tables}


def has_mark(server: BareServer) -> bool:
    with closing(Warehouse(server.url())) as warehouse:
        return bool(warehouse.rows(f"exists table {RESTORING}")[0]["result"])


def emptied(server: BareServer, state_url: str) -> None:
    """As people are told to make it."""
    with closing(Warehouse(server.url())) as warehouse:
        for row in warehouse.rows("select name from system.databases where startsWith(name, 'errata_')"):
            warehouse.execute(f"drop database {row['name']} sync")
    if state_url.startswith("sqlite"):
        Path(state_url.removeprefix("sqlite:///")).unlink(missing_ok=True)
    else:
        engine = create_engine(parsed_url(state_url))
        with engine.begin() as connection:
            connection.exec_driver_sql("drop schema public cascade; create schema public")
        engine.dispose()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_restore_to_a_server_is_killed_at_ten_moments_and_done_again(
    tmp_path: Path, state_urls: tuple[str, str]
) -> None:
    server, other = prepared(tmp_path / "server"), prepared(tmp_path / "other")
    first, second = state_urls
    with server.running():
        assert (done := command(server, first, "migrate")).returncode == 0, done.stderr
        with closing(Store.open(first, SECRET.encode())) as store:
            account = store.accounts.create_first("Acme", "Shop", "ada@shop.example")
        for count in (3, 4):
            insert(server, count)
            assert (done := command(server, first, "backup", server.backups)).returncode == 0, done.stderr
        source = contents(server)
    shutil.copytree(server.backups, other.backups)
    with other.running():
        named = settings(other, second)
        whole = restored_until(0, other.backups, tmp_path / "other.db", settings=named)
        assert whole.returncode == 0, whole.stderr
        steps = int(whole.stderr.splitlines()[-1])
        marked = 0
        for moment in range(MOMENTS):
            emptied(other, second)
            step = 1 + (steps - 1) * moment // (MOMENTS - 1)
            killed = restored_until(step, other.backups, tmp_path / "other.db", settings=named)
            assert killed.returncode == -signal.SIGKILL, (step, killed)
            if has_mark(other):
                marked += 1
                refused = command(other, second, *(("migrate",) if moment % 2 else ("backup", other.backups)))
                assert refused.returncode == FINAL_EXIT_CODE, (step, refused.stderr)
                assert "was interrupted" in refused.stderr, (step, refused.stderr)
            else:
                # Nothing of the backup is there yet.
                assert contents(other) == {}
            emptied(other, second)
            assert (done := command(other, second, "restore", other.backups)).returncode == 0, done.stderr
            assert contents(other) == source
            with closing(Store.open(second, SECRET.encode())) as store:
                assert store.keys.api.owner(account.api_key) is not None
        assert (done := command(other, second, "migrate")).returncode == 0, done.stderr
        assert marked >= MOMENTS // 2


@pytest.mark.slow
def test_what_cannot_be_written_to_is_said(tmp_path: Path) -> None:
    server = prepared(tmp_path / "server")
    state_url = f"sqlite:///{tmp_path}/state.db"
    with server.running():
        assert (done := command(server, state_url, "migrate")).returncode == 0, done.stderr
        elsewhere = command(server, state_url, "backup", tmp_path / "elsewhere")
        assert (elsewhere.returncode, str(server.backups) in elsewhere.stderr) == (1, True), elsewhere.stderr
        pair = command(
            server,
            state_url,
            "backup",
            server.backups,
            ERRATA_WAREHOUSE_ADMIN_URL=server.url() + ",other:8123",
        )
        assert (pair.returncode, "name one of the replicas" in pair.stderr) == (1, True), pair.stderr
        missing = command(server, f"sqlite:///{tmp_path}/none.db", "backup", server.backups)
        assert (missing.returncode, "no state store" in missing.stderr) == (1, True), missing.stderr
        no_program = command(
            server, "postgresql://a:b@127.0.0.1:1/c", "backup", server.backups, PATH="/nowhere"
        )
        assert (no_program.returncode, "pg_dump was not found" in no_program.stderr) == (1, True)
        # None of them left anything that looks like a backup.
        assert BackupDirectory(server.backups).complete() == []
        assert BackupDirectory(server.backups).interrupted() == []


@pytest.mark.slow
def test_an_interrupted_backup_is_removed_by_the_next(tmp_path: Path) -> None:
    server = prepared(tmp_path / "server")
    state_url = f"sqlite:///{tmp_path}/state.db"
    with server.running():
        assert (done := command(server, state_url, "migrate")).returncode == 0, done.stderr
        (server.backups / "2026-01-01T00-00-00-000Z" / "events").mkdir(parents=True)
        done = command(server, state_url, "backup", server.backups, "--with-secret")
        assert done.returncode == 0, done.stderr
    (name,) = BackupDirectory(server.backups).complete()
    folder = server.backups / name
    assert BackupDirectory(server.backups).interrupted() == []
    assert (folder / "secret").read_text() == SECRET
    assert (folder / "secret").stat().st_mode & 0o777 == 0o600
    manifest, _ = read_manifest(folder)
    assert manifest.has_secret
    assert manifest.base is None


def test_every_table_of_ours_is_in_one_section() -> None:
    """And each that is named exists."""
    created = {
        statement.split()[2]
        for file in sql.migrations()
        for statement in file.statements
        if statement.startswith("create table errata_raw.")
    }
    named = [table for section in SECTIONS if section.database == RAW for table in section.tables]
    assert len(named) == len(set(named))
    assert set(named) == {*WRITTEN_FIRST, *WRITTEN_LAST}
    assert set(named) <= created
    (rest,) = (section for section in SECTIONS if section.database == RAW and not section.tables)
    assert set(rest.others) == set(named)
