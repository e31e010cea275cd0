"""The engine's disk for backups. The embedded one holds nothing but a link to the directory of the backup
under way, so that no user of the engine reaches other files."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DISK = "errata_backup"
# Of the disk: bases are named by it, so that a backup directory can be moved.
FOLDER = "errata"


def disk_path(run_directory: Path) -> Path:
    """Where the embedded engine finds the disk."""
    return run_directory / "backup"


def destination(backup: str, section: str) -> str:
    """A part of a backup, for a statement."""
    return f"Disk('{DISK}', '{FOLDER}/{backup}/{section}')"


def quoted(value: str) -> str:
    """A string, for a statement that takes no parameters."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


@contextmanager
def linked(run_directory: Path, directory: Path) -> Iterator[None]:
    """Leads the embedded engine's disk to a backup directory; waits while it leads to another one."""
    disk = disk_path(run_directory)
    disk.mkdir(mode=0o700, exist_ok=True)
    with (run_directory / "backup.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        link = disk / FOLDER
        # Of a command that was killed.
        link.unlink(missing_ok=True)
        link.symlink_to(directory.resolve(), target_is_directory=True)
        try:
            yield
        finally:
            link.unlink()
