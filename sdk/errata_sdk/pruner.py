"""Looks after the log directory now and then, beside the application."""

import contextlib
import os
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from sentry_sdk.utils import capture_internal_exceptions

from errata_sdk.discards import Discard, report
from errata_sdk.fork import ForkAware, may_fork_unseen
from errata_sdk.line import line_of
from errata_sdk.lost_items import LostItem
from errata_sdk.retention import Pruned, Retention, prune
from errata_sdk.trouble import Trouble

try:
    import fcntl
except ImportError:
    # Windows: without a lock between processes nothing is removed.
    MAY_LOCK = False
else:
    MAY_LOCK = True

# A program that ends before leaves it to others, and to the first one of the next day.
FIRST_LOOK_S = 60.0
EVERY_S = 3600.0
AFTER_TROUBLE_S = 60.0
# What a full disk is to be given back, of what has been delivered.
WANTED_FREE_BYTES = 64 << 20


class Pruner(ForkAware):
    def __init__(self, storage_path: Path, retention: Retention, append: Callable[[bytes], bool]) -> None:
        super().__init__()
        self._storage_path = storage_path
        self._retention = retention
        self._append = append
        self._trouble = Trouble()
        self._thread: threading.Thread | None = None
        self._folder = -1
        self._next_at = time.monotonic() + FIRST_LOOK_S
        self._not_before = 0.0
        self._segment_bytes = retention.segment_bytes or sys.maxsize
        self._long_at = self._segment_bytes

    def forked(self) -> None:
        self._thread = None
        # With it the child would hold the parent's lock.
        self._close_folder()

    def look(self, today_bytes: int) -> None:
        """Called with every line: starts a look at the directory if one is due.

        One is when the day's file is new or has grown by a segment, and from time to time.
        """
        self.notice_fork()
        now = time.monotonic()
        if today_bytes < self._segment_bytes:
            self._long_at = self._segment_bytes
        is_due = today_bytes == 0 or today_bytes >= self._long_at or now >= self._next_at
        if is_due and now >= self._not_before and self._start(0):
            # Not with every line where the file could not be set aside.
            self._long_at = today_bytes + self._segment_bytes

    def make_room(self) -> None:
        """The disk is full: what has been delivered may go early."""
        now = time.monotonic()
        if now >= self._not_before:
            self._start(WANTED_FREE_BYTES)
            self._not_before = now + AFTER_TROUBLE_S

    def wait(self, timeout: float) -> None:
        self.notice_fork()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    def _start(self, wanted_free_bytes: int) -> bool:
        is_running = self._thread is not None and self._thread.is_alive()
        if is_running or not MAY_LOCK or may_fork_unseen():
            return False
        self._next_at = time.monotonic() + EVERY_S
        self._thread = threading.Thread(
            target=self._run, args=(wanted_free_bytes,), name="errata-retention", daemon=True
        )
        # At the end of the interpreter no more threads can be started.
        with contextlib.suppress(RuntimeError):
            self._thread.start()
        return True

    def _run(self, wanted_free_bytes: int) -> None:
        with capture_internal_exceptions():
            try:
                self._folder = os.open(self._storage_path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError:
                # Said by those who cannot write to it.
                return
            try:
                fcntl.flock(self._folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._prune(wanted_free_bytes)
            except BlockingIOError:
                # Another process is at it.
                return
            except OSError as error:
                self._tell(Pruned(refused=[error]))
            finally:
                self._close_folder()

    def _close_folder(self) -> None:
        # Forgotten first: a child forked in between must not close what has this number by then.
        folder, self._folder = self._folder, -1
        if folder >= 0:
            os.close(folder)

    def _prune(self, wanted_free_bytes: int) -> None:
        try:
            pruned = prune(self._folder, self._retention, datetime.now(UTC), wanted_free_bytes)
            # Under the lock: were the file of the report dropped meanwhile, its items would be told of twice.
            self._tell(pruned)
        finally:
            # Explicitly: a child forked meanwhile may hold a copy of the descriptor.
            fcntl.flock(self._folder, fcntl.LOCK_UN)

    def _tell(self, pruned: Pruned) -> None:
        if not pruned.refused and not pruned.dropped_names:
            self._trouble = Trouble()
        if pruned.refused:
            self._not_before = time.monotonic() + AFTER_TROUBLE_S
            error = pruned.refused[0]
            name = self._storage_path / str(error.filename or "")
            self._trouble.say(
                f"errno-{error.errno}", f"cannot clean up {name}: {error.strerror} (reported once)"
            )
        if pruned.dropped_names:
            self._trouble.say(
                "overflow",
                f"{self._storage_path} is over max_storage_bytes ({self._retention.max_storage_bytes}): "
                f"dropped {pruned.dropped_names[0]} with {sum(pruned.lost.values())} undelivered items; "
                "check that the shipper is running (reported once)",
            )
        for app_key, counts in _by_application(pruned.lost).items():
            self._append(line_of("client_report", app_key, {}, report(counts)))


def _by_application(lost: Counter[LostItem]) -> dict[str, Counter[Discard]]:
    told: dict[str, Counter[Discard]] = defaultdict(Counter)
    for (app_key, reason, category), quantity in lost.items():
        told[app_key][category, reason] += quantity
    return told
