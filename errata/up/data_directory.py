"""What lies where in the data directory, and who holds it."""

import errno
import fcntl
import json
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from errata.errors import ErrataError, InvalidSettings
from errata.private_file import write_private
from errata.settings import LEAST_SECRET


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
        is_full = reason in (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))
        remedy = "Free up disk space, or choose another --data" if is_full else "Choose another --data"
        super().__init__(f"{path} can't be used: {reason}. {remedy}")
        self.path = path
        self.reason = reason


class DataIncomplete(ErrataError):
    """A part of the service is missing, or a restore has not finished."""

    code = "data_incomplete"
    is_final = True

    def __init__(self, said: str, remedy: str) -> None:
        super().__init__(f"{said}. {remedy}")
        self.said = said
        self.remedy = remedy


class SecretDiffers(ErrataError):
    """`ERRATA_SECRET` is not the secret of the data directory, nor said to follow it."""

    code = "secret_differs"
    is_final = True

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"ERRATA_SECRET differs from the secret in {path}. Unset it, or, to change the secret, set "
            "ERRATA_PREVIOUS_SECRET to the one in that file; then all keys and sign-ins end"
        )
        self.path = path


STATE_URL = "ERRATA_STATE_URL"
# Made first by a restore into a directory, and removed last.
RESTORING = "restoring"
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
    def secret_path(self) -> Path:
        return self.path / "secret"

    @property
    def warehouse_path(self) -> Path:
        return self.path / "warehouse"

    @property
    def state_url_path(self) -> Path:
        """The address of an account store elsewhere, with its password; no file: it is `state_path`."""
        return self.path / "state-url"

    @property
    def state_url(self) -> str:
        path = self.state_url_path
        return path.read_text().strip() if path.exists() else f"sqlite:///{self.state_path}"

    @property
    def has_state(self) -> bool:
        return self.state_path.exists() or self.state_url_path.exists()

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
    def spool_path(self) -> Path:
        """Envelopes that SDKs sent directly, until they are delivered."""
        return self.path / "spool"

    def emptied_metrics_path(self) -> Path:
        """Where several web processes count for `/metrics`, without what those of the last start counted."""
        path = self.run / "metrics"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(mode=0o700)
        return path

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

    def use_state(self, url: str) -> None:
        """Keeps the address of an account store elsewhere, for every command; empty: the one in use. Raises
        DataIncomplete where the directory has accounts of its own."""
        if url in ("", self.state_url):
            return
        if _has_content(self.state_path):
            raise DataIncomplete(
                f"{self.path} has its accounts in {self.state_path.name}, but {STATE_URL} points to others",
                f"Unset {STATE_URL}, or choose another --data for a new service",
            )
        write_private(self.state_url_path, url)

    def require_whole(self) -> None:
        """Raises DataIncomplete unless a whole service is there, or nothing of one: then a start makes a new
        one."""
        require_restored(self.path)
        require_log(self.state_path)
        parts = (self.secret_path, self.state_path, self.warehouse_path, self.credentials_path)
        present = [path for path in parts if _has_content(path)]
        # A first start that was cut off leaves an empty state store, and people delete credentials.
        missing = [path for path in parts[:3] if path not in present and path != self.state_path]
        missing += [] if self.has_state else [self.state_path]
        if missing and present not in ([], [self.secret_path]):
            raise _missing(self.path, missing, f", but has {_names(present)}")

    def begin(self, secret: str = "") -> None:
        """Makes the secret and an empty state store for a first start, before the warehouse is made: one
        without them has lost them. `secret`: the one to begin with; empty: a random one. Raises
        InvalidSettings."""
        if secret and len(secret) < LEAST_SECRET:
            raise InvalidSettings([f"ERRATA_SECRET: at least {LEAST_SECRET} characters"])
        if not _has_content(self.secret_path):
            write_private(self.secret_path, secret or secrets.token_urlsafe(48))
        if not self.has_state:
            self.state_path.touch(0o600)

    @contextmanager
    def usable(self) -> Iterator[None]:
        """Raises DataDirectoryUnusable for what the system or a file's content refuses."""
        try:
            yield
        except OSError as error:
            raise DataDirectoryUnusable(
                Path(error.filename or self.path), error.strerror or str(error)
            ) from error
        except ValueError as error:
            reason = f"credentials.json, secret or {self.warehouse_passwords_path.name} is damaged"
            raise DataDirectoryUnusable(self.path, reason) from error

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
        """The server's secret: it keys the hashes of API keys, so losing it invalidates them all. Raises
        DataIncomplete."""
        if not _has_content(self.secret_path):
            raise _missing(self.path, [self.secret_path])
        return self.secret_path.read_text().strip()

    def change_secret(self, secret: str, previous: str) -> bool:
        """Puts `secret` in place of `previous`, and says whether it did. Raises SecretDiffers if neither is
        the one that the directory has."""
        if secret in ("", self.secret()):
            return False
        if previous != self.secret():
            raise SecretDiffers(self.secret_path)
        write_private(self.secret_path, secret)
        return True

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

    def was_held_within(self, seconds: float) -> bool:
        """Whether its holder began that recently. Changes nothing."""
        return time.time() - (self.run / "up.lock").stat().st_mtime < seconds

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.path).free


def require_restored(folder: Path) -> None:
    """Raises DataIncomplete while a restore into the folder is under way, and after it was interrupted."""
    if (folder / RESTORING).exists():
        raise DataIncomplete(
            f"A restore into {folder} is under way, or was interrupted",
            "If none is running, empty this directory and run `errata restore` again",
        )


def require_log(file: Path) -> None:
    """Raises DataIncomplete if the write-ahead log of a SQLite file was deleted: the file alone is older."""
    log, shared = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))
    # SQLite makes the log first and removes it last; another process may do so between two of these looks.
    if shared.exists() and not log.exists() and shared.exists():
        raise DataIncomplete(
            f"{log} is missing, which contains the latest changes of {file.name}",
            "Restore it, or restore a backup into another directory. "
            f"To continue without it, delete {shared}",
        )


def _has_content(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.exists() and path.stat().st_size > 0


def _names(paths: Sequence[Path]) -> str:
    return " and ".join(path.name for path in paths)


def _missing(folder: Path, missing: Sequence[Path], beside: str = "") -> DataIncomplete:
    remedy = f"Put {_names(missing)} back, or restore a backup into another directory. "
    if [path.name for path in missing] == ["secret"]:
        remedy += (
            "If the secret is lost, write a new one of at least 32 characters to this file; existing API "
            "keys, sign-ins and encrypted tokens stop working"
        )
    else:
        remedy += f"For a new, empty service, move {folder} away first"
    return DataIncomplete(f"{folder} lacks {_names(missing)}{beside}", remedy)


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
