"""`errata up` with its accounts in a PostgreSQL database that ERRATA_STATE_URL names."""

import os
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from errata.backup.directory import BackupDirectory
from errata.backup.manifest import read_manifest
from errata.doctor.data import findings
from errata.state import Store
from errata.support_bundle import write_bundle
from errata.up.data_directory import STATE_URL, DataDirectory, DataIncomplete
from tests.errata.up.test_up import ROOT, running
from tests.postgres import PostgresServer

POSTGRESQL = "postgresql://errata:hidden-word@db.example.org/errata"


def whole(folder: Path, url: str = POSTGRESQL) -> DataDirectory:
    """As a start leaves it."""
    directory = DataDirectory(folder / "data")
    directory.create()
    directory.use_state(url)
    directory.begin()
    (directory.warehouse_path / "store").mkdir(parents=True)
    return directory


def test_the_address_is_kept_for_every_command_and_is_its_owners_alone(tmp_path: Path) -> None:
    directory = whole(tmp_path)
    assert DataDirectory(directory.path).state_url == POSTGRESQL
    assert directory.state_url_path.stat().st_mode & 0o777 == 0o600
    assert directory.has_state and not directory.state_path.exists()
    directory.require_whole()
    # A start without the variable goes on with the same store, and one with a new address with that.
    directory.use_state("")
    assert directory.state_url == POSTGRESQL
    directory.use_state(f"{POSTGRESQL}_new")
    assert directory.state_url == f"{POSTGRESQL}_new"
    directory.state_url_path.chmod(0o644)
    assert any("state-url has mode 644" in one.said and one.remedy for one in findings(directory))
    assert "hidden-word" not in " ".join(one.said + one.remedy for one in findings(directory))


def test_accounts_of_a_directory_are_not_left_for_others(tmp_path: Path) -> None:
    directory = whole(tmp_path, "")
    assert directory.state_url == f"sqlite:///{directory.state_path}"
    directory.use_state(directory.state_url)
    directory.state_path.write_text("accounts")
    with pytest.raises(
        DataIncomplete, match=(f"has its accounts in state.db, but {STATE_URL} points to others")
    ):
        directory.use_state(POSTGRESQL)
    assert not directory.state_url_path.exists()


def test_a_directory_whose_other_parts_are_gone_is_not_begun_anew(tmp_path: Path) -> None:
    for part in ("secret", "warehouse/store"):
        directory = whole(tmp_path / part.partition("/")[0])
        directory.credentials_path.write_text("{}")
        path = directory.path / part
        path.rmdir() if path.is_dir() else path.unlink()
        with pytest.raises(DataIncomplete, match=f"lacks {part.partition('/')[0]}"):
            directory.require_whole()


def test_a_support_bundle_has_no_password_of_the_account_store(tmp_path: Path) -> None:
    directory = whole(tmp_path, "postgresql://errata:hidden-word@127.0.0.1:9/errata")
    (directory.run / "web.log").write_text(f"connection to {directory.state_url} failed\nhidden-word\n")
    assert write_bundle(directory.path, {}, tmp_path / "bundle.tar.gz") == 0
    with tarfile.open(tmp_path / "bundle.tar.gz") as bundle:
        texts = {entry.name: bundle.extractfile(entry) for entry in bundle.getmembers()}
        read = {name: file.read().decode() for name, file in texts.items() if file is not None}
    assert "failed" in read["errata-support/logs/web.log"]
    assert "state store" in read["errata-support/doctor.txt"]
    assert [name for name, text in read.items() if "hidden-word" in text] == []


def errata(*arguments: str | Path, **settings: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    return subprocess.run(
        [sys.executable, "-m", "errata", *map(str, arguments)],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_accounts_are_in_postgresql_from_the_first_start_to_a_restore(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, again, backups = (tmp_path / name for name in ("data", "again", "backups"))
    url, other = postgres.create_database(), postgres.create_database()
    monkeypatch.setenv(STATE_URL, url)
    with running(data) as service:
        assert service.health()["checks"]["state"] == "ok"
        known = service.credentials
        assert not (data / "state.db").exists()
        with closing(Store.open(url, (data / "secret").read_bytes())) as store:
            assert store.keys.api.owner(known["api_key"]) is not None
        monkeypatch.delenv(STATE_URL)
        # Each command finds it by the directory alone.
        examined = errata("doctor", "--data", data)
        assert "ok    state store: is up to date" in examined.stdout, examined.stdout
        assert known["email"] in errata("admin", "users", "--data", data).stdout
        planned = errata("migrate", "--plan", "--data", data)
        assert "nothing to do" in planned.stdout, planned.stderr
        assert (done := errata("backup", backups, "--data", data, "--with-secret")).returncode == 0, (
            done.stderr
        )
    (name,) = BackupDirectory(backups).complete()
    assert read_manifest(backups / name)[0].state == "postgresql"
    # And so does the next start.
    with running(data) as service:
        assert service.health()["checks"]["state"] == "ok" and not (data / "state.db").exists()
    refused = errata("restore", backups, "--data", again)
    assert refused.returncode == 1 and f"name an empty one in {STATE_URL}" in refused.stderr, refused.stderr
    assert not again.exists()
    assert (done := errata("restore", backups, "--data", again, **{STATE_URL: other})).returncode == 0, (
        done.stderr
    )
    with running(again) as service:
        answer = httpx2.get(
            f"{service.credentials['base_url']}/api/projects",
            headers={"Authorization": f"Bearer {known['api_key']}"},
        )
        assert answer.status_code == 200, answer.text
    assert DataDirectory(again).state_url == other
