"""Old chains of backups are deleted as a whole, and only once the newest backup is sound."""

import gzip
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from errata.backup.chains import Retention, begins_anew, chains, remove_old_chains, span
from errata.backup.directory import BackupDirectory
from errata.backup.errors import BackupDamaged
from errata.backup.manifest import NAME, Base, Manifest
from errata.backup.place import ERASURES, BackupPlace
from errata.backup.verify import problems

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def take(directory: BackupPlace, days_ago: int, base: str = "") -> str:
    """A backup with two files."""
    began_at = NOW - timedelta(days=days_ago)
    name = directory.begin(began_at)
    (directory.folder(name) / "state.db").write_text(f"{days_ago} days ago")
    (directory.folder(name) / ERASURES).write_bytes(gzip.compress(b""))
    manifest = Manifest(
        version="0",
        engine="0",
        began_at=began_at.isoformat(),
        finished_at=began_at.isoformat(),
        base=Base(base, directory.manifest(base)[1]) if base else None,
        databases=(),
        sections=(),
        tables={},
        state="sqlite",
        has_secret=False,
        files=directory.files(name),
        name=name,
    )
    directory.publish(name, manifest)
    return name


@pytest.fixture
def directory(tmp_path: Path) -> BackupDirectory:
    return BackupDirectory(tmp_path)


@pytest.fixture
def three(directory: BackupDirectory) -> list[list[str]]:
    made = []
    for days_ago in (20, 13, 6):
        first = take(directory, days_ago)
        second = take(directory, days_ago - 1, first)
        made.append([first, second, take(directory, days_ago - 2, second)])
    return made


def test_a_chain_is_a_backup_with_all_that_builds_upon_it(
    directory: BackupDirectory, three: list[list[str]]
) -> None:
    assert chains(directory) == three


def test_the_next_backup_begins_anew_when_the_chain_is_old(
    directory: BackupDirectory, three: list[list[str]]
) -> None:
    assert not begins_anew(directory, Retention(), NOW)
    assert not begins_anew(directory, Retention.of(4, None), NOW)
    assert begins_anew(directory, Retention.of(4, None), NOW + timedelta(days=1))
    assert begins_anew(directory, Retention.of(0, span("36h")), NOW)
    assert three


def test_whole_old_chains_are_deleted(directory: BackupDirectory, three: list[list[str]]) -> None:
    assert remove_old_chains(directory, 0) == remove_old_chains(directory, 3) == []
    assert remove_old_chains(directory, 2) == three[0]
    assert chains(directory) == three[1:] and problems(directory) == []
    remove_old_chains(directory, 1)
    assert chains(directory) == three[2:] and problems(directory) == []
    assert remove_old_chains(directory, 1) == []


@pytest.mark.parametrize("which", [0, 2], ids=["its base", "the last"])
def test_nothing_is_deleted_while_the_newest_is_damaged(
    directory: BackupDirectory, three: list[list[str]], which: int
) -> None:
    (directory.folder(three[-1][which]) / "state.db").write_text("x")
    with pytest.raises(BackupDamaged):
        remove_old_chains(directory, 1)
    assert chains(directory) == three


def test_a_deletion_that_is_cut_off_leaves_no_backup_without_its_base(
    directory: BackupDirectory, three: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = []

    def rmtree(path: Path) -> None:
        removed.append(path)
        if len(removed) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("errata.backup.directory.shutil.rmtree", rmtree)
    with pytest.raises(KeyboardInterrupt):
        remove_old_chains(directory, 2)
    monkeypatch.undo()
    assert chains(directory) == [three[0][:1], *three[1:]]
    assert [found for found in problems(directory) if "interrupted" not in found] == []
    # The next one finishes it, and the next backup removes what was begun.
    remove_old_chains(directory, 2)
    take(directory, 0, three[-1][-1])
    assert [path.name for path in sorted(directory.path.iterdir()) if not (path / NAME).exists()] == []


@pytest.mark.parametrize("text", ["", "7", "0d", "7w", "-1d", "7d "])
def test_a_span_is_hours_or_days(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        span(text)
