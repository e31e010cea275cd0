"""The data directory of `errata up`: whether it is there, writable and private."""

import os
import stat
from collections.abc import Iterator

from errata.doctor.finding import Finding
from errata.up.data_directory import OPEN_TO_OTHERS, DataDirectory, DataIncomplete

FREE_BYTES_WANTED = 2 << 30
CHOOSE = "Choose a writable directory with --data, or change its owner"


def is_there(directory: DataDirectory) -> bool:
    return os.access(directory.path, os.F_OK)


def is_usable(directory: DataDirectory) -> bool:
    return _refusal(directory) == ""


def findings(directory: DataDirectory) -> Iterator[Finding]:
    if not is_there(directory):
        remedy = f"Start `errata up --data {directory.path}`, which creates it, or choose another with --data"
        yield Finding("data", f"{directory.path} does not exist", remedy)
        return
    if reason := _refusal(directory):
        yield Finding("data", f"{directory.path} {reason}", CHOOSE)
        return
    free = directory.free_bytes()
    try:
        directory.require_whole()
        yield Finding("data", f"{directory.path} is writable")
    except DataIncomplete as error:
        yield Finding("data", error.said, error.remedy)
    yield Finding(
        "disk",
        f"{free / 1e9:.1f} GB free",
        "" if free > FREE_BYTES_WANTED else "Free up disk space: inserts stop when the disk is full",
    )
    yield from _permissions(directory)


def _refusal(directory: DataDirectory) -> str:
    """Why the service cannot use it; empty if it can."""
    if not directory.path.is_dir():
        return "is not a directory"
    folders = [folder for folder in (directory.path, directory.run) if folder.exists()]
    return (
        "" if all(os.access(folder, os.R_OK | os.W_OK | os.X_OK) for folder in folders) else "is not writable"
    )


def _permissions(directory: DataDirectory) -> Iterator[Finding]:
    is_open = bool(directory.mode & OPEN_TO_OTHERS)
    yield Finding(
        "permissions",
        f"{directory.path} has mode {directory.mode:o}"
        + (": readable by other users on this host" if is_open else ""),
        f"chmod 700 {directory.path}" if is_open else "",
    )
    private = (
        directory.credentials_path,
        directory.secret_path,
        directory.state_url_path,
        directory.warehouse_passwords_path,
    )
    for path in private:
        if path.exists():
            mode = stat.S_IMODE(path.stat().st_mode)
            remedy = f"chmod 600 {path}" if mode & 0o077 else ""
            yield Finding("permissions", f"{path.name} has mode {mode:o}", remedy)
