"""A storage path that is missing, gone or not to be used."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.shipper.ingest_server import IngestServer
from tests.shipper.installation import Installation, wait_until


def may_do_everything() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.touch(mode=0)
        return os.access(secret, os.R_OK)


# A shipper that root starts may read and write everything, unless it is started without that privilege.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if may_do_everything() else []
needs_permissions = pytest.mark.skipif(
    bool(UNPRIVILEGED) and shutil.which("setpriv") is None, reason="this user may read and write everything"
)


@pytest.mark.parametrize("action", ["--record", "--status"])
def test_a_missing_storage_path_is_named(installation: Installation, action: str) -> None:
    installation.configure(storagePath="/nowhere/logs")
    ended = installation.run(action)
    assert ended.returncode == 3
    assert "Storage path not found\n" in ended.stderr
    assert "/nowhere/logs: create it" in ended.stderr


@pytest.mark.parametrize("action", ["--record", "--status"])
def test_a_storage_path_that_is_no_directory_is_not_accessible(
    installation: Installation, action: str
) -> None:
    installation.configure(storagePath=installation.config)
    ended = installation.run(action)
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert "read and write access" in ended.stderr


@needs_permissions
def test_a_file_that_becomes_unreadable_holds_back_no_other(
    installation: Installation, server: IngestServer
) -> None:
    installation.prefix = UNPRIVILEGED
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    secret = installation.storage_path / "errata-2026-11-20.log"
    secret.touch(mode=0o200)
    secret.write_bytes(b'{"n": 1}\n')
    installation.log.write_bytes(b'{"n": 2}\n')
    wait_until(lambda: server.stored == [b'{"n": 2}'])
    secret.chmod(0o600)
    wait_until(lambda: server.stored == [b'{"n": 2}', b'{"n": 1}'])
    process.terminate()
    _, messages = process.communicate(timeout=10)
    assert messages.count("Storage path not accessible") == 1


@needs_permissions
@pytest.mark.parametrize(
    ("mode", "said"),
    [(0o500, "Permission denied writing tracker.json; give "), (0o000, "Permission denied; give ")],
)
def test_a_storage_path_that_may_not_be_used_is_named(
    installation: Installation, mode: int, said: str
) -> None:
    installation.prefix = UNPRIVILEGED
    installation.storage_path.chmod(mode)
    ended = installation.run("--record")
    installation.storage_path.chmod(0o700)
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert f"{installation.storage_path}: {said}" in ended.stderr


@needs_permissions
def test_logs_that_may_not_be_read_are_named(installation: Installation) -> None:
    installation.prefix = UNPRIVILEGED
    installation.log.touch(mode=0o200)
    ended = installation.run("--record")
    assert ended.returncode == 3
    assert "Storage path not accessible\n" in ended.stderr
    assert f"{installation.log}: Permission denied reading logs; give " in ended.stderr
    (installation.storage_path / "rejected").mkdir(mode=0)
    status = installation.run("--status")
    (installation.storage_path / "rejected").chmod(0o700)
    assert status.returncode == 0
    assert "rejected       not visible to this user\n" in status.stdout


def test_a_storage_path_that_disappears_is_waited_for(
    installation: Installation, server: IngestServer
) -> None:
    process = installation.record()
    assert process.stderr is not None
    while "Connected to errata" not in process.stderr.readline():
        pass
    installation.storage_path.rename(installation.storage_path.with_name("gone"))
    while "Storage path not found" not in process.stderr.readline():
        pass
    assert "create it" in process.stderr.readline()
    installation.storage_path.mkdir()
    installation.log.write_bytes(b'{"n": 1}\n')
    wait_until(lambda: server.stored == [b'{"n": 1}'])
    second = installation.run("--record")
    assert second.returncode == 6
    process.terminate()
    _, messages = process.communicate(timeout=10)
    assert messages.count("Storage path not found") == 0
    assert "The storage path is back" in messages
