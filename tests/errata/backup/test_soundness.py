"""What is wrong with a backup is found, and refused, before anything of it is restored."""

import gzip
import hashlib
import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from errata import __version__
from errata.backup.directory import BackupDirectory
from errata.backup.erasure_list import NO_LIST, chosen_list
from errata.backup.errors import BackupDamaged, BackupFailed, RestoreIncomplete, RestoreRefused, TooNew
from errata.backup.manifest import NAME, Manifest, TableCopy
from errata.backup.place import ERASURES
from errata.backup.restore import filling, restore_secret
from errata.backup.source import SECRET_FILES
from errata.backup.state_store import copy_state, require_known_state, require_place, unknown_revision
from errata.backup.verify import problems, require_sound
from errata.backup.warehouse import require_rows
from errata.state import Store
from errata.up.data_directory import RESTORING, DataIncomplete
from errata.warehouse.queries.erasures.items import Subject, collect
from errata.warehouse.queries.erasures.listing import replay, write_list
from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, record
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.errata.backup.test_chains import NOW, take
from tests.processes import WarehouseProcess


def made(path: Path) -> BackupDirectory:
    path.mkdir()
    return BackupDirectory(path)


@pytest.fixture
def directory(tmp_path: Path) -> BackupDirectory:
    """With a backup, and one that builds upon it."""
    found = made(tmp_path / "backups")
    take(found, 1, take(found, 2))
    return found


def flip(folder: Path) -> str:
    path = folder / "state.db"
    path.write_bytes(path.read_bytes()[::-1])
    return "state.db was changed"


def shorten(folder: Path) -> str:
    path = folder / "state.db"
    path.write_bytes(path.read_bytes()[:-1])
    return "state.db has a different size"


def remove(folder: Path) -> str:
    (folder / "state.db").unlink()
    return "state.db is missing"


def put_a_folder_in_its_place(folder: Path) -> str:
    remove(folder)
    (folder / "state.db").mkdir()
    return "state.db"


def cut(folder: Path) -> str:
    path = folder / NAME
    path.write_bytes(path.read_bytes()[:-9])
    return "its manifest is unreadable"


def change(folder: Path) -> str:
    path = folder / NAME
    path.write_text(path.read_text().replace('"state": "sqlite"', '"state": "sqlita"'))
    return "its manifest was changed"


def write_anew(folder: Path, **parts: Any) -> str:
    """In a format to come, as its own checksum says."""
    content = {**json.loads((folder / NAME).read_text())["backup"], **(parts or {"format": 99})}
    sha256 = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / NAME).write_text(json.dumps({"sha256": sha256, "backup": content}))
    return ""


DAMAGES = [flip, shorten, remove, put_a_folder_in_its_place, cut, change, write_anew]


@pytest.mark.parametrize("place", [0, 1], ids=["its base", "the last"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_is_found_and_not_restored(
    directory: BackupDirectory, damage: Callable[[Path], str], place: int
) -> None:
    names = directory.complete()
    assert problems(directory) == []
    require_sound(directory, names[-1])
    said = damage(directory.folder(names[place]))
    assert any(one.startswith(names[place]) and said in one for one in problems(directory))
    with pytest.raises(BackupDamaged):
        require_sound(directory, names[-1])


@pytest.mark.parametrize("part", range(3), ids=["major", "minor", "patch"])
def test_a_backup_of_any_newer_version_is_refused(directory: BackupDirectory, part: int) -> None:
    numbers = [int(number) for number in re.findall("[0-9]+", __version__)[:3]]
    last = directory.complete()[-1]
    write_anew(directory.folder(last), version=".".join(map(str, numbers)))
    require_sound(directory, last)
    numbers[part] += 1
    write_anew(directory.folder(last), version=".".join(map(str, numbers)))
    with pytest.raises(BackupDamaged, match="newer than this version"):
        require_sound(directory, last)


def test_one_backup_at_a_time(directory: BackupDirectory) -> None:
    with directory.hold(), pytest.raises(BackupFailed, match="under way"), directory.hold():
        pass
    with directory.hold():
        pass


def test_nothing_is_restored_over_anything(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "state.db").write_text("mine")
    with pytest.raises(RestoreRefused, match="is not empty"), filling(data):
        pass
    (data / RESTORING).touch()
    with pytest.raises(DataIncomplete, match="was interrupted"), filling(data):
        pass
    for url in (f"sqlite:///{data / 'state.db'}", "postgresql://nobody@127.0.0.1/none"):
        with pytest.raises(RestoreRefused):
            require_place(url, "sqlite")
    assert (data / "state.db").read_text() == "mine"


def test_a_state_store_that_is_damaged_is_not_copied(tmp_path: Path) -> None:
    path, folder = tmp_path / "state.db", tmp_path / "backup"
    folder.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table users (email text)")
        connection.execute("create index of_email on users (email)")
        connection.executemany("insert into users values (?)", [(f"{n}@x.test",) for n in range(2000)])
    assert copy_state(f"sqlite:///{path}", folder) == "sqlite"
    # In the table, not in its index: SQLite copies it without a word.
    path.write_bytes(path.read_bytes().replace(b"1999@x.test", b"1999@y.test", 1))
    with pytest.raises(BackupFailed, match="state store is damaged"):
        copy_state(f"sqlite:///{path}", folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_copy_of_a_newer_account_store_is_refused(
    request: pytest.FixtureRequest, directory: BackupDirectory, tmp_path: Path, kind: str
) -> None:
    url = (
        f"sqlite:///{tmp_path}/state.db"
        if kind == "sqlite"
        else request.getfixturevalue("postgres").create_database()
    )
    manifest = replace(directory.manifest(directory.complete()[-1])[0], state=kind, version="9.9.9")
    with closing(Store.open(url, b"s" * 40)) as store:
        store.migrate()
        for number, revision in enumerate(("", "9000")):
            if revision:
                with store.database.writing() as connection:
                    connection.exec_driver_sql(f"update alembic_version set version_num = '{revision}'")
            folder = tmp_path / str(number)
            folder.mkdir()
            assert copy_state(url, folder) == kind
            assert unknown_revision(folder, kind) == revision
    require_known_state(tmp_path / "0", manifest)
    with pytest.raises(TooNew, match=r"written by Errata 9\.9\.9, and .* account store at revision 9000"):
        require_known_state(folder, manifest)
    if kind == "postgresql":
        dump = folder / "state.dump"
        dump.write_bytes(dump.read_bytes()[:100])
        with pytest.raises(RestoreRefused, match="pg_restore failed"):
            require_known_state(folder, manifest)


def test_a_restored_secret_is_the_owners_alone(tmp_path: Path) -> None:
    folder, to = tmp_path / "backup", tmp_path / "data"
    for made_folder in (folder, to):
        made_folder.mkdir()
    for name in SECRET_FILES:
        (folder / name).write_text("x" * 40)
        (folder / name).chmod(0o644)
    restore_secret(folder, to)
    assert {path.name: path.stat().st_mode & 0o777 for path in to.iterdir()} == dict.fromkeys(
        SECRET_FILES, 0o600
    )


@pytest.mark.parametrize("more", [-1, 1])
def test_a_table_with_more_or_fewer_rows_than_the_backup_is_incomplete(
    directory: BackupDirectory, warehouse: WarehouseProcess, more: int
) -> None:
    manifest, _ = directory.manifest(directory.complete()[-1])

    def told(rows: int) -> Manifest:
        return replace(
            manifest, databases=("errata_raw",), tables={"errata_raw.error_events": TableCopy("", rows)}
        )

    with closing(warehouse.client(Role.ADMIN)) as admin:
        insert(admin, "errata_raw.error_events", [an_error_event(), an_error_event()])
        require_rows(admin, told(2))
        with pytest.raises(RestoreIncomplete):
            require_rows(admin, told(2 + more))


def test_listed_erasures_are_carried_out_again(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    event = an_error_event(received_at=now - timedelta(minutes=1))
    erasure = Erasure(7, uuid4(), Kind.EVENT, "x", "owner", now)
    with closing(warehouse.client(Role.ADMIN)) as admin:
        insert(admin, "errata_raw.error_events", [event, an_error_event()])
        record(admin, erasure, Step.ASKED)
        collect(admin, erasure, Subject(events=[event["item_id"]]))
        write_list(admin, tmp_path / "list")
        # As in a backup that was made before.
        for table in ("erasures", "erased_items"):
            admin.execute(f"truncate table errata_raw.{table} sync")
        assert replay(admin, tmp_path / "list") == 1
        (left,) = admin.rows(
            "select count() as n, countIf(item_id = {id:UUID}) as erased from errata_raw.error_events",
            {"id": event["item_id"]},
        )
    assert (left["n"], left["erased"]) == (1, 0)


def keep_list(directory: BackupDirectory, name: str, content: bytes) -> None:
    """Beside the other files of a backup."""
    manifest, _ = directory.manifest(name)
    (directory.folder(name) / NAME).unlink()
    (directory.folder(name) / ERASURES).write_bytes(content)
    directory.publish(name, replace(manifest, files=directory.files(name)))


def test_the_newest_list_counts_and_stands_in_for_no_other(directory: BackupDirectory) -> None:
    first, last = directory.complete()
    for name in (first, last):
        keep_list(directory, name, gzip.compress(b""))
    newest = directory.folder(last) / ERASURES
    assert chosen_list(directory).path == newest
    begun = directory.begin(NOW)
    assert chosen_list(directory).path == newest
    (directory.folder(begun) / ERASURES).write_bytes(gzip.compress(b""))
    assert chosen_list(directory).path == directory.folder(begun) / ERASURES
    (directory.folder(begun) / ERASURES).write_bytes(b"")
    with pytest.raises(BackupDamaged):
        chosen_list(directory)
    directory.remove(begun)
    for content in (gzip.compress(b"", mtime=1), b"", None):
        # Also a list that can be read, and is another one.
        newest.unlink() if content is None else newest.write_bytes(content)
        with pytest.raises(BackupDamaged):
            chosen_list(directory)
        assert chosen_list(directory, "none") == NO_LIST
