"""Any file of a backup that is missing, changed, cut, empty or another's is named, and nothing is restored;
what was erased after a backup never comes back."""

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from errata import __version__
from errata.__main__ import main
from errata.backup.directory import LOCK, BackupDirectory
from errata.backup.errors import BackupDamaged, BackupFailed, RestoreRefused
from errata.backup.manifest import NAME
from errata.backup.place import ERASURES
from errata.backup.restore import restore
from errata.backup.verify import problems
from errata.warehouse.roles import Role
from tests.processes import start_warehouse
from tests.small_service import Taken, events, small_service
from tests.warehouse_rows import insert_rows

NEWER = "9.9.9"


def missing(content: bytes, other: bytes) -> bytes | None:
    return None


def flipped(content: bytes, other: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :] if content else b"x"


def cut(content: bytes, other: bytes) -> bytes:
    return content[: len(content) // 2]


def empty(content: bytes, other: bytes) -> bytes:
    return b""


def another(content: bytes, other: bytes) -> bytes:
    return other


DAMAGES: tuple[Callable[[bytes, bytes], bytes | None], ...] = (missing, flipped, cut, empty, another)


def files(place: Path) -> list[Path]:
    found = [path for path in sorted(place.rglob("*")) if path.is_file() and path.name != LOCK]
    assert len(found) > 100
    return found


def others_content(taken: Taken, path: Path, place: Path) -> bytes:
    """Of the same file of another backup, or of another file."""
    (other,) = BackupDirectory(taken.others).complete()
    _, *parts = path.relative_to(place).parts
    for found in (taken.others.joinpath(other, *parts), taken.others / other / "state.db"):
        if found.exists() and found.read_bytes() != path.read_bytes():
            return found.read_bytes()
    raise AssertionError(path)


def assert_refused(place: Path, target: Path, said: str, name: str = "") -> None:
    with pytest.raises((BackupDamaged, RestoreRefused)) as refused:
        restore({}, str(place), name, target)
    assert said in str(refused.value), refused.value
    assert not target.exists()


def assert_each_damage_is_found(taken: Taken, place: Path, is_all: bool) -> None:
    for number, path in enumerate(files(place)):
        content, other = path.read_bytes(), others_content(taken, path, place)
        in_folder = path.relative_to(place).parts[1:]
        said = "manifest" if path.name == NAME else "/".join(in_folder)
        for damage in DAMAGES if is_all or len(in_folder) == 1 else (DAMAGES[number % len(DAMAGES)],):
            changed = damage(content, other)
            if changed == content:
                continue
            if changed is None:
                path.unlink()
            else:
                path.write_bytes(changed)
            found = problems(BackupDirectory(place))
            assert any(said in problem for problem in found), (path, damage.__name__, found)
            assert_refused(place, place.with_name("new"), said)
            path.write_bytes(content)
    assert problems(BackupDirectory(place)) == []


@pytest.mark.slow
def test_damage_of_any_file_is_named_and_nothing_is_restored(taken: Taken, copied: Path) -> None:
    """Each file of a real chain in turn; every kind of damage for files of ours."""
    assert_each_damage_is_found(taken, copied, is_all=False)


@pytest.mark.slow
def test_every_damage_of_every_file_is_named_and_nothing_is_restored(taken: Taken, copied: Path) -> None:
    assert_each_damage_is_found(taken, copied, is_all=True)


def test_commands_say_what_is_damaged_in_one_line(
    copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sorted(copied.glob(f"*/{ERASURES}"))[-1]
    path.write_bytes(path.read_bytes()[:-5])
    for command in (["backup", "verify", str(copied)], ["restore", str(copied)]):
        assert main([*command, "--data", str(tmp_path / "new")]) == 1
        said = capsys.readouterr()
        assert f"{ERASURES} has a different size" in said.err and said.err.count("\n") == 1, said
    assert not (tmp_path / "new").exists()


def restored_events(place: Path | str, name: str, target: Path, erasures: str = "") -> set[object]:
    assert restore({}, str(place), name, target, erasures) == 0
    warehouse = start_warehouse(target)
    found = events(warehouse)
    warehouse.stop()
    return set(found)


@pytest.mark.slow
def test_a_restore_of_an_older_backup_carries_out_the_last_list(
    taken: Taken, copied: Path, tmp_path: Path
) -> None:
    assert restored_events(copied, taken.first, tmp_path / "first") == {taken.service.kept}


@pytest.mark.slow
def test_no_restore_brings_back_what_was_erased_after_the_backup(
    taken: Taken, copied: Path, tmp_path: Path
) -> None:
    # Where the later backup is not complete any more.
    (copied / taken.last / NAME).unlink()
    assert_refused(copied, tmp_path / "new", f"add --backup {taken.first}")
    assert restored_events(copied, taken.first, tmp_path / "without") == {taken.service.kept}
    (copied / taken.last / ERASURES).write_bytes(b"")
    assert_refused(copied, tmp_path / "new", f"{taken.last}/{ERASURES}", taken.first)


@pytest.mark.slow
def test_the_last_list_counts_whichever_backup_is_restored(
    taken: Taken, copied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (copied / taken.last / ERASURES).unlink()
    assert_refused(copied, tmp_path / "new", f"{taken.last}/{ERASURES} is missing", taken.first)
    broken = tmp_path / "list.gz"
    for content in (b"", b"no list", gzip.compress(b"{}\n"), gzip.compress(b"")[:-1]):
        broken.write_bytes(content)
        with pytest.raises(BackupDamaged, match="not a readable list"):
            restore({}, str(copied), taken.first, tmp_path / "new", str(broken))
    newer = str(taken.place / taken.last / ERASURES)
    assert restored_events(copied, taken.first, tmp_path / "listed", newer) == {taken.service.kept}
    both = {taken.service.kept, taken.service.erased}
    capsys.readouterr()
    assert restored_events(copied, taken.first, tmp_path / "none", "none") == both
    assert "data erased after the backup is back" in capsys.readouterr().out


def rewrite(folder: Path, **changes: object) -> None:
    """Changes the manifest as if the program had written it so."""
    content = json.loads((folder / NAME).read_text())["backup"]
    content |= changes
    digest = sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / NAME).write_text(json.dumps({"sha256": digest, "backup": content}))


def as_of_version_0_5_0(place: Path, name: str) -> None:
    """A single full backup as it was written before manifests knew lists of erasures."""
    content = json.loads((place / name / NAME).read_text())["backup"]
    del content["name"], content["files"][ERASURES]
    (place / name / ERASURES).rename(place / ERASURES)
    digest = sha256(json.dumps(content | {"format": 1}, sort_keys=True).encode()).hexdigest()
    (place / name / NAME).write_text(
        json.dumps({"sha256": digest, "backup": content | {"format": 1}}, indent=1)
    )


@pytest.mark.slow
def test_a_backup_of_version_0_5_0_is_restored_unless_its_list_is_gone(
    taken: Taken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = shutil.copytree(taken.others, tmp_path / "old")
    (name,) = BackupDirectory(old).complete()
    as_of_version_0_5_0(old, name)
    assert problems(BackupDirectory(old)) == []
    assert restored_events(old, "", tmp_path / "new") == {taken.service.kept}
    assert f"no checksum of {ERASURES}" in capsys.readouterr().out
    content = (old / ERASURES).read_bytes()
    for damage in (missing, flipped, cut, empty):
        changed = damage(content, b"")
        (old / ERASURES).unlink() if changed is None else (old / ERASURES).write_bytes(changed)
        found = problems(BackupDirectory(old))
        assert any(ERASURES in problem for problem in found), (damage.__name__, found)
        assert_refused(old, tmp_path / "refused", ERASURES)
        (old / ERASURES).write_bytes(content)


@pytest.mark.parametrize("format_", [1, 2, 3])
def test_a_backup_of_a_newer_version_is_refused(
    taken: Taken, copied: Path, tmp_path: Path, format_: int
) -> None:
    rewrite(copied / taken.last, format=format_, version=NEWER)
    for found in (problems(BackupDirectory(copied))[0], refusal(copied, tmp_path / "new")):
        assert NEWER in found and __version__ in found


def refusal(place: Path, target: Path) -> str:
    with pytest.raises((BackupDamaged, RestoreRefused)) as refused:
        restore({}, str(place), "", target)
    assert not target.exists()
    return str(refused.value)


def test_a_backup_of_a_newer_account_store_is_refused(taken: Taken, copied: Path, tmp_path: Path) -> None:
    path = copied / taken.last / "state.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update alembic_version set version_num = '9000'")
    known = json.loads((copied / taken.last / NAME).read_text())["backup"]["files"]
    known["state.db"] = {"bytes": path.stat().st_size, "sha256": sha256(path.read_bytes()).hexdigest()}
    rewrite(copied / taken.last, files=known)
    said = refusal(copied, tmp_path / "new")
    assert "revision 9000" in said and said.count(__version__) == 2


@pytest.mark.slow
def test_a_backup_of_a_newer_warehouse_is_refused(taken: Taken, tmp_path: Path) -> None:
    table, name = "errata_ops.migrations", "9999_of_the_future"
    with closing(taken.service.warehouse.client(Role.ADMIN)) as client:
        insert_rows(client, table, [{"name": name, "file_hash": "x"}])
        taken.service.take(tmp_path / "newer")
        client.execute(f"delete from {table} where name = '{name}'")
    said = refusal(tmp_path / "newer", tmp_path / "new")
    assert name in said and said.count(__version__) == 2


def test_a_chain_with_another_base_or_in_another_order_is_refused(
    taken: Taken, copied: Path, tmp_path: Path
) -> None:
    first, last = copied / taken.first, copied / taken.last
    other = taken.others / BackupDirectory(taken.others).complete()[0]
    aside = first.rename(tmp_path / "aside")
    assert_refused(copied, tmp_path / "new", f"its base {taken.first} is missing or damaged")
    shutil.copytree(other, first)
    assert_refused(copied, tmp_path / "new", "its manifest is that of")
    rewrite(first, name=taken.first)
    assert_refused(copied, tmp_path / "new", f"its base {taken.first} is a different backup")
    # The base with the manifest of the one that builds upon it.
    shutil.rmtree(first)
    aside.rename(first)
    shutil.copyfile(last / NAME, first / NAME)
    assert_refused(copied, tmp_path / "new", f"its manifest is that of {taken.last}")
    content = json.loads((first / NAME).read_text())["backup"]
    rewrite(first, name=taken.first, base={"name": taken.first, "sha256": content["base"]["sha256"]})
    assert_refused(copied, tmp_path / "new", "is a different backup")


@pytest.mark.slow
def test_a_backup_of_another_service_is_no_base(taken: Taken, copied: Path, tmp_path: Path) -> None:
    with small_service(tmp_path / "data") as other:
        with pytest.raises(BackupFailed, match="backups of another service"):
            other.take(copied)
        assert BackupDirectory(copied).complete() == [taken.first, taken.last]
        assert other.take(tmp_path / "its own")
