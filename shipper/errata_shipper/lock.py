import fcntl
import os
import time
from pathlib import Path

from errata_shipper.errors import DirectoryHeld

LOCK_NAME = ".errata-shipper.lock"
# Who holds it cannot be told.
UNKNOWN = "unknown"


class DirectoryLock:
    """Held by the one shipper of a directory; the kernel lets go of it however that shipper ends."""

    def __init__(self, storage_path: Path) -> None:
        self._storage_path = storage_path
        self._path = storage_path / LOCK_NAME
        self._descriptor = -1

    def __enter__(self) -> "DirectoryLock":
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def acquire(self) -> None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _lock(descriptor)
        except BlockingIOError as error:
            holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise DirectoryHeld(self._storage_path, f"process {holder}" if holder else "starting") from error
        except OSError:
            os.close(descriptor)
            raise
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def renew(self) -> None:
        """Hold the folder that the storage path leads to by now; raises DirectoryHeld if another one does."""
        held = os.fstat(self._descriptor)
        try:
            present = self._path.stat()
        except FileNotFoundError:
            present = None
        if present is None or (present.st_dev, present.st_ino) != (held.st_dev, held.st_ino):
            before = self._descriptor
            self.acquire()
            os.close(before)

    def release(self) -> None:
        # The file stays: were it removed, two shippers could hold a lock each, on the old one and a new one.
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def holder_of(storage_path: Path) -> int | str | None:
    """The process of the shipper of a directory; None if there is none, UNKNOWN if it cannot be told."""
    try:
        descriptor = os.open(storage_path / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    except OSError:
        return UNKNOWN
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(descriptor, 32, 0).strip()
        return int(holder) if holder.isdigit() else UNKNOWN
    finally:
        os.close(descriptor)
    return None


def _lock(descriptor: int) -> None:
    for _ in range(3):
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Perhaps somebody looks who holds it, which takes a moment.
            time.sleep(0.02)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
