"""The times to scan log files, and which: by inotify where available, by polling elsewhere."""

import logging
import time
from pathlib import Path

from errata_shipper.clock import Clock
from errata_shipper.errors import StoragePathUnusable
from errata_shipper.lock import DirectoryLock
from errata_shipper.log_directory import LogDirectory
from errata_shipper.log_file import is_log_file
from errata_shipper.tracker import Tracker
from errata_shipper.watch import Changes, FolderWatch

# A full scan, for changes that the watch missed.
_SAFETY_SECONDS = 60.0
_POLL_SECONDS = 1.0
_POLL_LONGEST_SECONDS = 30.0
# The share of a processor for full scans.
_SCAN_SHARE = 0.002
# The share while many of thousands of files are created or renamed.
_SCAN_SHARE_WHEN_BUSY = 0.05
_EXPENSIVE_SCAN_SECONDS = 0.005

log = logging.getLogger(__name__)


class Watcher:
    def __init__(
        self,
        storage_path: Path,
        directory: LogDirectory,
        tracker: Tracker,
        clock: Clock,
        lock: DirectoryLock | None,
        is_watching: bool,
    ) -> None:
        self._storage_path = storage_path
        self._directory = directory
        self._tracker = tracker
        self._clock = clock
        self._lock = lock
        self._is_watching = is_watching
        self._watch: FolderWatch | None = None
        self._folder: tuple[int, int] | None = None
        self._is_missing = False
        self._scanned_at = float("-inf")
        self._scan_seconds = 0.0
        # An event that only a full scan can resolve.
        self._is_unclear = True

    @property
    def descriptor(self) -> int | None:
        """Readable upon changes; None without inotify."""
        return None if self._watch is None else self._watch.descriptor

    def update(self) -> None:
        """Brings the tails up to date with as few file accesses as possible."""
        self._enter_folder()
        if not self._is_enough_told():
            self.scan_all()

    def scan_all(self) -> None:
        try:
            self._refresh()
        except StoragePathUnusable as error:
            if not self._is_missing:
                log.error("%s", error.message)
                log.error("%s: %s; still delivering open files", error.path, error.remedy)
            self._is_missing = True
            self._directory.scan_open(self._clock.monotonic())
            return
        if self._is_missing:
            log.info("The storage path is back")
            self._is_missing = False
        self._renew_lock()

    def _renew_lock(self) -> None:
        """The file that holds it may have been removed, with its folder or alone."""
        if self._lock is not None:
            self._lock.renew()

    @property
    def is_missing(self) -> bool:
        return self._is_missing

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        self._directory.close()

    def _enter_folder(self) -> None:
        """Notice that the storage path leads to another folder by now, made anew or mounted."""
        try:
            state = self._storage_path.stat()
        except OSError:
            # A look at everything says what is wrong.
            self._is_unclear = True
            return
        folder = state.st_dev, state.st_ino
        if folder == self._folder:
            return
        if self._folder is not None:
            self._renew_lock()
            if self._tracker.path.exists():
                self._tracker.load(self._clock.now())
            else:
                self._tracker.leave_folder()
        self._watch_folder()
        self._folder = folder
        self._is_unclear = True
        self._scan_seconds = 0.0

    def _watch_folder(self) -> None:
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        if not self._is_watching:
            return
        try:
            self._watch = FolderWatch(self._storage_path)
        except OSError as error:
            log.info("No inotify for %s (%s); polling it instead", self._storage_path, error)

    def _is_enough_told(self) -> bool:
        now = self._clock.monotonic()
        self._directory.heed_removed_tracker()
        self._is_unclear |= not self._heed_watch(now)
        self._is_unclear |= not self._directory.glance(now)
        waited = now - self._scanned_at
        if self._is_unclear and self._scan_seconds > _EXPENSIVE_SCAN_SECONDS:
            return waited < self._scan_seconds / _SCAN_SHARE_WHEN_BUSY
        return not self._is_unclear and waited < self._interval()

    def _heed_watch(self, now: float) -> bool:
        """Look at the files that the watch tells of; False if that is not enough."""
        if self._watch is None:
            return True
        changes = self._changes(self._watch)
        if changes.is_incomplete or any(map(is_log_file, changes.moved)):
            return False
        return self._directory.touch(filter(is_log_file, changes.modified), now)

    def _changes(self, watch: FolderWatch) -> Changes:
        changes = watch.changes()
        if changes.is_over:
            # The folder may have been made anew, with the inode it had.
            self._watch_folder()
        return changes

    def _interval(self) -> float:
        if self._watch is not None:
            return _SAFETY_SECONDS
        return min(max(_POLL_SECONDS, self._scan_seconds / _SCAN_SHARE), _POLL_LONGEST_SECONDS)

    def _refresh(self) -> None:
        is_check_of_watch = not self._is_unclear and self._scanned_at > 0
        started = time.thread_time()
        self._directory.refresh(self._clock.monotonic())
        self._scan_seconds = time.thread_time() - started
        self._scanned_at = self._clock.monotonic()
        self._is_unclear = False
        if is_check_of_watch and self._watch is not None:
            self._check_watch(self._watch)

    def _check_watch(self, watch: FolderWatch) -> None:
        """Give up a watch that is not told of what happens, as on some network file systems."""
        changes = self._changes(watch)
        unheard = self._directory.unexpected - changes.modified - changes.moved
        self._is_unclear = bool(changes.modified or changes.moved or changes.is_incomplete)
        if unheard and not changes.is_incomplete:
            log.info("inotify missed a change to %s; polling instead", ", ".join(sorted(unheard)[:3]))
            self._is_watching = False
            self._watch_folder()
