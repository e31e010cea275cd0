"""How much of the log directory is kept, and what goes first when it has to be less."""

import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from errata_sdk.delivered import Delivered, read_delivered
from errata_sdk.lost_items import LostItem, lost_items
from errata_sdk.stored_file import StoredFile, stored_files

MIN_STORAGE_BYTES = 1 << 20
# The day's file is set aside at this part of the whole, so that a part can go and the rest stay.
SEGMENTS = 8
# A program whose clock or time zone differs may still be writing to a file of another day.
QUIET = timedelta(minutes=10)


@dataclass(frozen=True)
class Retention:
    keep_days: int | None = 7
    max_storage_bytes: int | None = 2 << 30

    def __post_init__(self) -> None:
        if self.keep_days is not None and self.keep_days < 0:
            raise ValueError(
                f"keep_days is {self.keep_days}: use a number of days, or None to keep files forever"
            )
        if self.max_storage_bytes is not None and self.max_storage_bytes < MIN_STORAGE_BYTES:
            raise ValueError(
                f"max_storage_bytes is {self.max_storage_bytes}: "
                f"use at least {MIN_STORAGE_BYTES}, or None for no limit"
            )

    @property
    def segment_bytes(self) -> int | None:
        return None if self.max_storage_bytes is None else self.max_storage_bytes // SEGMENTS


@dataclass
class Pruned:
    """What one look at the directory removed."""

    delivered_names: list[str] = field(default_factory=list)
    # Files that went before they were delivered, and what was in them.
    dropped_names: list[str] = field(default_factory=list)
    lost: Counter[LostItem] = field(default_factory=Counter)
    refused: list[OSError] = field(default_factory=list)


def prune(folder: int, retention: Retention, now: datetime, wanted_free_bytes: int = 0) -> Pruned:
    """Keep the directory within its limits, and make room on a full disk if there is something to give.

    Oldest first, delivered ones before others. Only one process may do so at a time.
    """
    pruned = Pruned()
    _set_aside(folder, retention, now, pruned)
    files = stored_files(folder)
    total = sum(file.size for file in files)
    delivered = read_delivered(folder)
    finished = [file for file in files if not _may_grow(file, now)]
    done = {file: None for file in finished if delivered.is_whole(file, folder)}
    excess = _excess(total, retention)
    missing = wanted_free_bytes - _free_bytes(folder) if wanted_free_bytes else 0
    for file in done:
        if max(excess, missing) > 0 or _is_old(file, retention, now):
            freed = _remove(file, folder, pruned)
            excess, missing = excess - freed, missing - freed
    for file in finished:
        if excess > 0 and file not in done:
            excess -= _drop(file, folder, delivered, pruned)
    return pruned


def _excess(total: int, retention: Retention) -> int:
    """How many bytes have to go, so that the day's file may grow by a segment until the next look."""
    if retention.max_storage_bytes is None or retention.segment_bytes is None:
        return 0
    return total - (retention.max_storage_bytes - retention.segment_bytes)


def _is_old(file: StoredFile, retention: Retention, now: datetime) -> bool:
    if retention.keep_days is None:
        return False
    return file.date < f"{now - timedelta(days=retention.keep_days):%Y-%m-%d}"


def _may_grow(file: StoredFile, now: datetime) -> bool:
    if not file.is_live:
        return False
    modified = datetime.fromtimestamp(file.modified_ns / 1e9, UTC)
    return file.date >= f"{now:%Y-%m-%d}" or now - modified < QUIET


def _set_aside(folder: int, retention: Retention, now: datetime, pruned: Pruned) -> None:
    """Rename the day's files that are a segment long; writers and the shipper follow."""
    segment = retention.segment_bytes
    for file in stored_files(folder):
        if segment is None or not file.is_live or file.date != f"{now:%Y-%m-%d}" or file.size < segment:
            continue
        try:
            os.rename(
                file.name,
                f"{file.name}.{now:%H%M%S}-{now.microsecond:06d}",
                src_dir_fd=folder,
                dst_dir_fd=folder,
            )
        except OSError as error:
            pruned.refused.append(error)


def _remove(file: StoredFile, folder: int, pruned: Pruned) -> int:
    try:
        os.unlink(file.name, dir_fd=folder)
    except OSError as error:
        pruned.refused.append(error)
        return 0
    pruned.delivered_names.append(file.name)
    return file.size


def _drop(file: StoredFile, folder: int, delivered: Delivered, pruned: Pruned) -> int:
    """Remove a file that is not delivered; how many bytes went."""
    try:
        descriptor = file.open(folder, os.O_RDWR)
    except OSError as error:
        # Not to be read, so not to be counted: it stays.
        pruned.refused.append(error)
        return 0
    try:
        os.unlink(file.name, dir_fd=folder)
        # After the unlinking: a writer that still has it open sees that, and writes its line elsewhere.
        pruned.lost += lost_items(descriptor, delivered.offset_of(file))
        if os.fstat(descriptor).st_nlink == 0:
            # The shipper may hold it open for as long as the server is away, and so its place on the disk.
            os.ftruncate(descriptor, 0)
    except OSError as error:
        pruned.refused.append(error)
        return 0
    finally:
        os.close(descriptor)
    pruned.dropped_names.append(file.name)
    return file.size


def _free_bytes(folder: int) -> int:
    state = os.fstatvfs(folder)
    return state.f_bavail * state.f_frsize
