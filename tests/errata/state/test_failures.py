"""The store when its lock, disk, rights or file fail: what it says, and whether its health notices."""

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from errata.doctor.state_store import StateStore
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.database import Database
from errata.state.errors import (
    StateDamaged,
    StateDiskFailed,
    StateFull,
    StateLocked,
    StateMissing,
    StateNotMigrated,
    StateNotWritable,
    StateUnavailable,
)
from errata.state.trial_writes import TRY_EVERY_SECONDS, TrialWrites
from tests.errata.state.conftest import SECRET
from tests.postgres import PostgresServer

HOLDS_THE_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path, migrated_file: Path) -> Path:
    return Path(shutil.copy(migrated_file, tmp_path / "state.db"))


@pytest.fixture
def opened(path: Path) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{path}", SECRET)
    yield store
    store.close()


def test_a_trial_write_leaves_nothing(store: Store) -> None:
    before = store.jobs.states()
    store.database.try_write()
    assert store.jobs.states() == before == []


def test_a_lock_that_another_process_holds_is_noticed(
    opened: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.state.trial_writes.TRY_EVERY_SECONDS", 0.0)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS_THE_LOCK, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    opened.ping()
    with pytest.raises(StateLocked):
        opened.require_writable()
    holder.communicate()
    opened.require_writable()


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[Path]:
    options = f"size={size},mode=0777"
    found = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False
    )
    if found.returncode:
        pytest.skip("this user may not mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path, "3m") as folder:
        yield folder


@pytest.fixture
def small_tablespace(postgres: PostgresServer, migrated_database: str) -> Iterator[tuple[str, Path]]:
    """The URL of a store whose tables are on a small disk, and that disk."""
    url = postgres.create_database(like=migrated_database)
    name, folder = url.rpartition("/")[2], Path(tempfile.mkdtemp(prefix="errata-tablespace-"))
    with (
        mounted(folder, "24m"),
        closing(Database(postgres.create_database())) as other,
        other.reading() as connection,
    ):
        (folder / "tables").mkdir()
        shutil.chown(folder / "tables", "nobody")
        connection.exec_driver_sql(f"create tablespace small location '{folder}/tables'")
        connection.exec_driver_sql(f"alter database {name} set tablespace small")
        yield url, folder
        connection.exec_driver_sql(f"drop database {name} with (force)")
        connection.exec_driver_sql("drop tablespace small")
    folder.rmdir()


def test_a_full_disk_is_noticed_as_long_as_a_sign_in_fails(small_disk: Path, migrated_file: Path) -> None:
    shutil.copy(migrated_file, small_disk / "state.db")
    full_disk_is_noticed(f"sqlite:///{small_disk}/state.db", small_disk)


def test_a_postgresql_whose_disk_is_full_is_noticed(small_tablespace: tuple[str, Path]) -> None:
    full_disk_is_noticed(*small_tablespace)


def test_a_postgresql_whose_full_disk_refuses_connections_is_noticed(
    small_tablespace: tuple[str, Path],
) -> None:
    url, disk = small_tablespace
    with closing(Database(url)) as database:
        database.try_write()
        (catalogs,) = disk.rglob("pg_internal.init")
        catalogs.unlink()
        filling = filled(disk)
        with pytest.raises(StateDiskFailed):
            database.try_write()
        filling.unlink()
        database.try_write()


def filled(disk: Path) -> Path:
    filling = disk / "filling"
    with filling.open("wb", buffering=0) as file:
        while file.tell() < 64 << 20:
            try:
                file.write(b"x" * 512)
            except OSError:
                break
    return filling


def full_disk_is_noticed(url: str, disk: Path) -> None:
    store = Store.open(url, SECRET)
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    store.database.try_write()
    filling = filled(disk)
    failures = 0
    for _ in range(60):
        try:
            store.sessions.sign_in(account.email, account.password)
        except StateFull:
            failures += 1
            with pytest.raises((StateFull, StateDiskFailed)):
                store.database.try_write()
    assert failures
    filling.unlink()
    store.database.try_write()
    assert store.sessions.sign_in(account.email, account.password) is not None
    store.close()


def test_a_limit_of_the_file_is_noticed(opened: Store) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    opened.database.try_write()
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises((StateDiskFailed, StateFull)):
            opened.database.try_write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    opened.database.try_write()


def test_a_postgresql_that_only_reads_is_noticed(postgres: PostgresServer, migrated_database: str) -> None:
    url = postgres.create_database(like=migrated_database)
    database = Database(url)
    database.try_write()
    name = url.rpartition("/")[2]
    with database.writing() as connection:
        connection.exec_driver_sql(f"alter database {name} set default_transaction_read_only = on")
    database.close()
    with pytest.raises(StateNotWritable):
        database.try_write()
    with pytest.raises(StateNotWritable), database.writing() as connection:
        connection.exec_driver_sql("delete from jobs")
    database.ping()
    database.close()
    (wrong,) = [each for each in StateStore("store", url, "").findings() if each.subject == "store"]
    assert wrong.said.endswith(": default_transaction_read_only is on") and wrong.remedy


def test_a_store_that_is_only_read_is_sound_and_takes_no_writes(state_url: str) -> None:
    with closing(Database(state_url, is_read_only=True)) as database:
        database.require_sound()
        for connect in (database.reading, database.writing):
            with pytest.raises(StateNotWritable), connect() as connection:
                connection.exec_driver_sql("delete from jobs")


def test_a_postgresql_whose_table_is_locked_is_noticed(
    postgres: PostgresServer, migrated_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errata.state.database.TRIAL_TIMEOUT_MS", 100)
    database = Database(postgres.create_database(like=migrated_database))
    with database.writing() as connection:
        connection.exec_driver_sql("lock table jobs in access exclusive mode")
        with pytest.raises(StateLocked):
            database.try_write()
    database.try_write()
    database.close()


def test_a_store_without_its_tables_says_what_to_run(empty_state_url: str) -> None:
    if empty_state_url.startswith("sqlite"):
        Path(empty_state_url.removeprefix("sqlite:///")).touch()
    database = Database(empty_state_url)
    for question in (database.ping, database.try_write):
        with pytest.raises(StateNotMigrated, match="errata migrate"):
            question()
    database.close()


def garbage(path: Path) -> None:
    path.write_bytes(b"no database " * 1000)


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def flipped(path: Path) -> None:
    with path.open("r+b") as file:
        for page in range(1, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)


def page_of_a_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"\x00" * 100)


@pytest.mark.parametrize("damage", [garbage, truncated, flipped, page_of_a_header])
def test_a_damaged_file_is_said_to_be_damaged_wherever_it_is_used(
    path: Path, damage: Callable[[Path], None]
) -> None:
    damage(path)
    store = Store.open(f"sqlite:///{path}", SECRET)
    for use in (
        store.migrate,
        lambda: store.keys.api.owner("errata_api_" + "x" * 40),
        lambda: store.sessions.sign_in("owner@example.org", "a password"),
        store.require_writable,
    ):
        with pytest.raises(StateUnavailable) as raised:
            use()
        assert isinstance(raised.value, StateDamaged), raised.value
        assert "restore a backup" in raised.value.told
    store.close()


def test_one_damaged_page_is_found_at_the_start_and_stays_known_once_met(opened: Store, path: Path) -> None:
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute(
            "select rootpage from sqlite_master where name = 'organizations'"
        ).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    with pytest.raises(StateDamaged):
        opened.database.require_sound()
    opened.database.try_write()
    with pytest.raises(StateDamaged):
        opened.accounts.organizations()
    with pytest.raises(StateDamaged):
        opened.database.try_write()


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy(path, copy)
    copy.rename(path)


def folder_removed(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize("loss", [Path.unlink, moved, replaced, folder_removed])
def test_a_file_that_is_gone_is_neither_read_nor_written_nor_made(
    path: Path, opened: Store, loss: Callable[[Path], object]
) -> None:
    account: FirstAccount = opened.accounts.create_first("Acme", "Shop", "owner@example.org")
    assert opened.keys.api.owner(account.api_key) is not None
    loss(path)
    for use in (
        opened.ping,
        opened.require_writable,
        lambda: opened.keys.api.owner(account.api_key),
        lambda: opened.sessions.sign_in(account.email, account.password),
        lambda: opened.locks.assignments(1).__enter__(),
    ):
        with pytest.raises(StateUnavailable):
            use()
    with pytest.raises(StateMissing):
        opened.ping()
    opened.database.note(lambda connection: pytest.fail("written"))
    # Nor does a program that is started again make an empty one.
    again = Store.open(f"sqlite:///{path}", SECRET)
    if loss is not replaced:
        with pytest.raises(StateMissing):
            again.ping()
        assert not path.exists()
    again.close()


def test_many_askers_make_one_write_and_learn_of_a_recovery() -> None:
    now, failing, written = [0.0], [True], []

    def write() -> None:
        written.append(now[0])
        if failing[0]:
            raise StateFull("full")

    trials = TrialWrites(write, lambda: now[0])
    for _ in range(50):
        with pytest.raises(StateFull):
            trials.require()
    assert len(written) == 1
    failing[0] = False
    now[0] += TRY_EVERY_SECONDS
    for _ in range(50):
        trials.require()
    assert len(written) == 2
