"""What is wrong with a backup is found, and refused, before anything of it is restored."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from errata.backup.directory import BackupDirectory
from errata.backup.errors import BackupDamaged, BackupFailed, RestoreIncomplete, RestoreRefused
from errata.backup.manifest import NAME, Manifest, TableCopy
from errata.backup.restore import filling
from errata.backup.state_store import copy_state, require_place
from errata.backup.verify import problems, require_sound
from errata.backup.warehouse import _require_rows
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.errata.backup.test_chains import take
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
    return "state.db has another size"


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


def write_anew(folder: Path) -> str:
    """In a format to come, as its own checksum says."""
    content = {**json.loads((folder / NAME).read_text())["backup"], "format": 99}
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
    assert problems(directory) == [] and require_sound(directory, names[-1])
    said = damage(directory.folder(names[place]))
    assert any(one.startswith(names[place]) and said in one for one in problems(directory))
    with pytest.raises(BackupDamaged):
        require_sound(directory, names[-1])


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
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 64] = bytes(64)
    path.write_bytes(content)
    with pytest.raises(BackupFailed, match="state store"):
        copy_state(f"sqlite:///{path}", folder)


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
        _require_rows(admin, told(2))
        with pytest.raises(RestoreIncomplete):
            _require_rows(admin, told(2 + more))
