"""What lies where in the data directory, and who holds it."""

import fcntl
import json
import os
import secrets
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from errata.errors import ErrataError
from errata.private_file import write_private


class DataDirectoryHeld(ErrataError):
    """Another `errata up` runs on the same directory."""

    code = "data_directory_held"

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"{path} is in use by {holder}; stop it first, or choose another --data")
        self.path = path
        self.holder = holder


class DataDirectoryUnusable(ErrataError):
    """The directory cannot be made or written."""

    code = "data_directory_unusable"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} can't be used: {reason}. Choose another --data")
        self.path = path
        self.reason = reason


# What a process of the service makes is its owner's alone.
PRIVATE_UMASK = 0o077
OPEN_TO_OTHERS = 0o077


@dataclass(frozen=True)
class DataDirectory:
    path: Path

    @property
    def run(self) -> Path:
        return self.path / "run"

    @property
    def credentials_path(self) -> Path:
        return self.path / "credentials.json"

    @property
    def state_path(self) -> Path:
        return self.path / "state.db"

    @property
    def state_url(self) -> str:
        return f"sqlite:///{self.state_path}"

    @property
    def warehouse_passwords_path(self) -> Path:
        return self.run / "warehouse-passwords.json"

    @property
    def warehouse_address_path(self) -> Path:
        """Host and port of the warehouse, while one runs."""
        return self.run / "warehouse-address"

    @property
    def warehouse_port_path(self) -> Path:
        """Stays when the service stops: analysts' programs have it in their settings."""
        return self.run / "warehouse-port"

    def last_warehouse_port(self) -> int:
        """0: none yet."""
        path = self.warehouse_port_path
        told = path.read_text().strip() if path.exists() else ""
        return int(told) if told.isdigit() else 0

    @property
    def pipelines_alive_path(self) -> Path:
        return self.run / "pipelines-alive"

    @property
    def restarts_path(self) -> Path:
        return self.run / "restarts.json"

    @property
    def dagster_home(self) -> Path:
        return self.path / "dagster"

    def create(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir(mode=0o700, exist_ok=True)
            self.run.mkdir(mode=0o700, exist_ok=True)
            (self.run / "writable").write_text("")
        except OSError as error:
            raise DataDirectoryUnusable(self.path, error.strerror or str(error)) from error

    @property
    def mode(self) -> int:
        return stat.S_IMODE(self.path.stat().st_mode)

    def close_to_others(self) -> None:
        """Only its owner reads what is in it from here on; raises where everybody is meant to write."""
        if self.mode & stat.S_ISVTX:
            raise DataDirectoryUnusable(self.path, "it is shared by all users of this host")
        if not self.mode & OPEN_TO_OTHERS:
            return
        for folder, folders, files in os.walk(self.path):
            for name in (*folders, *files):
                _close(Path(folder, name))
        # Last: a start that was cut off goes over the files again.
        _close(self.path)

    def secret(self) -> str:
        """The server's secret: it keys the hashes of API keys, so losing it invalidates them all."""
        path = self.path / "secret"
        if not path.exists():
            write_private(path, secrets.token_urlsafe(48))
        return path.read_text().strip()

    def credentials(self) -> dict[str, Any]:
        if not self.credentials_path.exists():
            return {}
        stored: dict[str, Any] = json.loads(self.credentials_path.read_text())
        return stored

    def hold(self) -> TextIO:
        """A lock for as long as the returned file stays open; its text says who holds it."""
        file = (self.run / "up.lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise DataDirectoryHeld(self.path, holder) from error
        say_holder(file, "")
        return file

    def holder(self) -> str:
        """Who holds it, as the lock's text says; empty: nobody. Changes nothing."""
        try:
            file = (self.run / "up.lock").open()
        except FileNotFoundError:
            return ""
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return file.read().strip() or "another process"
        return ""

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.path).free


def _close(path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & OPEN_TO_OTHERS and not path.is_symlink():
            path.chmod(mode & ~OPEN_TO_OTHERS)
    except (FileNotFoundError, PermissionError):
        # Gone by now, or somebody else's, as the mount of a volume may be: the doctor tells.
        return


def say_holder(lock: TextIO, address: str) -> None:
    lock.seek(0)
    lock.truncate()
    lock.write(f"errata up (process {os.getpid()})" + (f" at {address}" if address else ""))
    lock.flush()
