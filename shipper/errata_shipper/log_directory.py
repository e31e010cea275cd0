"""The log files of a storage path, each with its tail, in the order of their dates."""

import logging
import os
import re
import stat
from collections.abc import Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from errata_shipper.checkpoint import Checkpoint
from errata_shipper.errors import StoragePathUnusable
from errata_shipper.report import REMOVED, REPLACED, Report
from errata_shipper.source import Source
from errata_shipper.tail import Tail
from errata_shipper.tracker import Tracker

# Also what logrotate makes of the name: errata-2026-11-21.log.1, errata-2026-11-21.log-20261122.
_LOG_FILE = re.compile(r"errata-(\d{4}-\d{2}-\d{2})\.log(?P<suffix>[.-][\w.-]*)?", re.ASCII)
_NOT_PLAIN = (".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip", ".tmp", ".swp")
# Files kept open, so that one that is moved away or deleted is still read to its end.
_OPEN_LIMIT = 64
# A program may go on writing for a while to a file that was moved away under it.
_GONE_SECONDS = 30.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FoundFile:
    folder: Path
    name: str
    date: str
    # Not renamed by rotation.
    is_plain: bool
    device: int
    inode: int
    size: int
    modified_ns: int

    @property
    def path(self) -> Path:
        return self.folder / self.name

    @property
    def order(self) -> tuple[str, bool, int, str]:
        """By date; of one date the rotated ones first, oldest first."""
        return self.date, self.is_plain, self.modified_ns, self.name


def find_files(storage_path: Path) -> list[FoundFile]:
    try:
        with os.scandir(storage_path) as entries:
            found = [file for entry in entries if (file := _found(storage_path, entry)) is not None]
    except FileNotFoundError as error:
        raise storage_path_missing(storage_path) from error
    except OSError as error:
        raise storage_path_refused(storage_path, error) from error
    return sorted(found, key=lambda file: file.order)


def storage_path_missing(path: Path) -> StoragePathUnusable:
    return StoragePathUnusable(
        "Storage path not found", path, "create it, or set storagePath to the SDK's storage_path"
    )


def storage_path_refused(path: Path, error: OSError) -> StoragePathUnusable:
    remedy = f"{error.strerror or error}; give the shipper's user read and write access to it"
    return StoragePathUnusable("Storage path not accessible", path, remedy)


def _found(folder: Path, entry: os.DirEntry[str]) -> FoundFile | None:
    match = _LOG_FILE.fullmatch(entry.name)
    if match is None or entry.name.endswith(_NOT_PLAIN):
        return None
    try:
        state = entry.stat()
    except OSError:
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    is_plain = match["suffix"] is None
    return FoundFile(
        folder,
        entry.name,
        match[1],
        is_plain,
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
    )


class LogDirectory:
    def __init__(self, storage_path: Path, tracker: Tracker, host: str, batch_size: int) -> None:
        self._storage_path = storage_path
        self._tracker = tracker
        self._host = host
        self._batch_size = batch_size
        self._tails: dict[tuple[int, int], Tail] = {}
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}
        self._unreadable: set[Path] = set()

    @property
    def tails(self) -> list[Tail]:
        """In the order in which they are to be read, the newest last."""
        return list(self._tails.values())

    def refresh(self, monotonic: float) -> None:
        """Follow what was created, renamed, emptied, replaced or removed since the last look."""
        if self._tracker.was_removed():
            log.warning("%s was removed; every log file is delivered again", self._tracker.path)
            self._tracker.forget_everything()
            for tail in self._tails.values():
                tail.forget()
        found = {(file.device, file.inode): file for file in find_files(self._storage_path)}
        gone = {key: tail for key, tail in self._tails.items() if key not in found}
        followed = {key: self._follow(key, file) for key, file in found.items()}
        kept = {key: tail for key, tail in followed.items() if tail is not None}
        self._tails = {**self._drained(gone, monotonic), **kept}
        self._seen = {key: seen for key, seen in self._seen.items() if key in found}
        self._forget(self._tracker.checkpoints.keys() - found.keys() - self._tails.keys(), gone.keys())
        self._limit_open()

    def close(self) -> None:
        for tail in self._tails.values():
            tail.close()

    def _follow(self, key: tuple[int, int], file: FoundFile) -> Tail | None:
        """The file's tail; None if it is new and cannot be opened, so that it stays new."""
        known = self._tails.get(key)
        tail = known or self._new_tail(file)
        was_open = tail.is_open
        try:
            if known is None and not self._resume(tail):
                return None
            if tail.name != file.name:
                tail.rename(file.path)
            tail.gone_at = None
            # While it is open its inode cannot be another file's, but its content can be other content.
            if was_open or self._seen.get(key) != (file.size, file.modified_ns):
                self._check(tail)
            tail.see(file.size)
            self._seen[key] = (file.size, file.modified_ns)
        except OSError as error:
            self._seen.pop(key, None)
            self.report_unreadable(file.path, error)
            tail.close()
            return known
        if not was_open:
            tail.close()
        return tail

    def _new_tail(self, file: FoundFile) -> Tail:
        checkpoint = Checkpoint(file.name, file.device, file.inode)
        return Tail(file.path, checkpoint, file.size, self._host, self._batch_size)

    def _resume(self, tail: Tail) -> bool:
        """Open a new file and go on where the tracker says; False if it is gone again."""
        if not tail.open():
            return False
        known = self._tracker.find(tail.name, *tail.key)
        if known is not None:
            tail.resume(known)
            self._check(tail)
            self._tracker.checkpoints[tail.key] = tail.checkpoint
        return True

    def _check(self, tail: Tail) -> None:
        if tail.is_replaced():
            self.begin_again(tail)

    def begin_again(self, tail: Tail) -> None:
        """Read a file that was emptied or replaced from its start; what was lost with it is reported."""
        self._report_end(tail, REPLACED)
        tail.begin_again()
        self._tracker.checkpoints[tail.key] = tail.checkpoint

    def _report_end(self, tail: Tail, end: str) -> None:
        report = tail.end(end)
        if report is not None:
            self._tracker.report(report)

    def report_unreadable(self, path: Path, error: OSError) -> None:
        if path not in self._unreadable:
            log.error("%s", storage_path_refused(path, error))
            self._unreadable.add(path)

    def _drained(self, gone: dict[tuple[int, int], Tail], monotonic: float) -> dict[tuple[int, int], Tail]:
        """Those of the removed files that are still open and hold, or may yet get, lines to deliver."""
        kept = {}
        for key, tail in gone.items():
            tail.gone_at = monotonic if tail.gone_at is None else tail.gone_at
            if tail.is_open:
                self._scan(tail, monotonic)
                if tail.has_batch or monotonic - tail.gone_at < _GONE_SECONDS:
                    kept[key] = tail
                    continue
            if tail.size > tail.offset:
                log.warning("%s was removed with %d bytes undelivered", tail.name, tail.size - tail.offset)
            self._report_end(tail, REMOVED)
            tail.close()
        return kept

    def _scan(self, tail: Tail, monotonic: float) -> None:
        try:
            tail.scan(monotonic)
        except OSError as error:
            self.report_unreadable(tail.path, error)

    def _forget(self, keys: Iterable[tuple[int, int]], reported: Container[tuple[int, int]]) -> None:
        for key in list(keys):
            checkpoint = self._tracker.checkpoints.pop(key)
            # Gone while no shipper ran.
            if key not in reported and checkpoint.file_id:
                size = max(checkpoint.size, checkpoint.offset)
                source = Source(self._host, checkpoint.name, checkpoint.file_id, size)
                self._tracker.report(Report(source, checkpoint.offset, checkpoint.offset, end=REMOVED))

    def _limit_open(self) -> None:
        for tail in self.tails[:-_OPEN_LIMIT]:
            if tail.gone_at is None:
                tail.close()
        for tail in self.tails[-_OPEN_LIMIT:]:
            try:
                tail.open()
            except OSError as error:
                self.report_unreadable(tail.path, error)
            else:
                self._unreadable.discard(tail.path)
