"""What the shipper's tracker says has been delivered. In doubt, nothing has."""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from errata_sdk.stored_file import OPEN_FLAGS, StoredFile

TRACKER_NAME = "tracker.json"
# Those whose files have the four fields read here.
KNOWN_VERSIONS = (1, 2)
_MAX_TRACKER_BYTES = 64 << 20
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Delivered:
    """Offsets by device, inode and name, as they were at `saved_ns`."""

    offsets: dict[tuple[int, int, str], int] = field(default_factory=dict)
    saved_ns: int = 0

    def offset_of(self, file: StoredFile) -> int:
        """Everything before it was delivered."""
        offset = self.offsets.get((file.device, file.inode, file.name), 0)
        # Written to since, or shorter than it was: it may have been filled anew.
        return offset if offset <= file.size and file.modified_ns <= self.saved_ns else 0

    def is_whole(self, file: StoredFile, folder: int) -> bool:
        """Whether nothing but a line that was cut off, if that, is left to be delivered."""
        offset = self.offset_of(file)
        if file.size == 0 or offset == file.size:
            return True
        return offset > 0 and not _has_line(file, folder, offset)


def read_delivered(folder: int) -> Delivered:
    try:
        descriptor = os.open(TRACKER_NAME, os.O_RDONLY | OPEN_FLAGS, dir_fd=folder)
    except OSError:
        return Delivered()
    with os.fdopen(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_size > _MAX_TRACKER_BYTES:
            return Delivered()
        try:
            return Delivered(dict(_offsets(json.load(file))), state.st_mtime_ns)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return Delivered()


def _offsets(document: dict[str, Any]) -> Iterator[tuple[tuple[int, int, str], int]]:
    if document["version"] not in KNOWN_VERSIONS:
        return
    for entry in document["files"]:
        device, inode, name, offset = (entry[key] for key in ("device", "inode", "name", "offset"))
        if type(device) is type(inode) is type(offset) is int and type(name) is str and offset > 0:
            yield (device, inode, name), offset


def _has_line(file: StoredFile, folder: int, offset: int) -> bool:
    try:
        descriptor = file.open(folder, os.O_RDONLY)
    except OSError:
        return True
    with os.fdopen(descriptor, "rb", buffering=0) as opened:
        opened.seek(offset)
        while chunk := opened.read(_CHUNK_BYTES):
            if b"\n" in chunk:
                return True
    return False
