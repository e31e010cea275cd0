"""The tails of a storage path's log files, in the order of their dates."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from errata_shipper.log_file import LogFile, find_files, storage_path_refused
from errata_shipper.report import REMOVED, REPLACED, Report
from errata_shipper.source import Source
from errata_shipper.tail import Tail
from errata_shipper.tracker import Tracker

# Files kept open, so that one that is moved away or deleted is still read to its end.
_OPEN_LIMIT = 64
# A program may go on writing for a while to a file that was moved away under it.
_GONE_SECONDS = 30.0
# A copy that has not grown for so long is whole.
_COPY_SECONDS = 10.0

Key = tuple[int, int]

log = logging.getLogger(__name__)


class LogDirectory:
    def __init__(self, storage_path: Path, tracker: Tracker, host: str, batch_size: int) -> None:
        self._storage_path = storage_path
        self._tracker = tracker
        self._host = host
        self._batch_size = batch_size
        self._tails: dict[Key, Tail] = {}
        # Another one whenever there may be something to deliver that was not there before.
        self.revision = 0
        self._gone: list[Tail] = []
        self._glanced_at: list[Tail] = []
        self._tails_by_name: dict[str, Tail] = {}
        self._replaced: list[Tail] = []
        # Files that the last refresh found other than they were thought to be.
        self.unexpected: set[str] = set()
        # As each file was when its content was last known to be the same.
        self._seen: dict[Key, tuple[int, int, int]] = {}
        self._kept_open: set[Key] = set()
        self._unreadable: set[Path] = set()

    @property
    def tails(self) -> list[Tail]:
        """In the order in which they are to be read, the newest last."""
        return list(self._tails.values())

    def refresh(self, monotonic: float) -> None:
        """Follow what was created, renamed, emptied, replaced or removed since the last look.

        Raises StoragePathUnusable if the folder cannot be looked at; then every tail stays what it was.
        """
        self.heed_removed_tracker()
        files = self._follow_all(monotonic)
        if self._replaced:
            # A copy was made before its original was emptied, but maybe after the folder was read.
            files = self._follow_all(monotonic)
        for tail in self._replaced:
            self.begin_again(tail)
            self._see(tail, files[tail.key], monotonic)
        self._forget(self._tracker.checkpoints.keys() - files.keys() - self._tails.keys())
        self._limit_open()

    def touch(self, names: Iterable[str], monotonic: float) -> bool:
        """Look at these files only; False if that is not enough."""
        tails = [self._tails_by_name.get(name) for name in names]
        return all(tail is not None and self._touch(tail, monotonic) for tail in tails)

    def glance(self, monotonic: float) -> bool:
        """Look at the files that are open, which costs next to nothing; False if that is not enough."""
        self._drain(monotonic)
        return all(self._touch(tail, monotonic) for tail in self._glanced_at)

    def scan_open(self, monotonic: float) -> None:
        """Read on what is open, while its folder cannot be looked at."""
        self.revision += 1
        for tail in self._tails.values():
            if tail.is_open:
                self._scan(tail, monotonic)

    def keep_sizes(self) -> None:
        """Before the end: what of a file is lost if it is removed meanwhile, is told by its size."""
        for tail in self._tails.values():
            if self._tracker.checkpoints.get(tail.key, tail.checkpoint) is not tail.checkpoint:
                self._tracker.keep(tail.checkpoint)

    def close(self) -> None:
        for tail in self._tails.values():
            tail.close()

    def heed_removed_tracker(self) -> None:
        if not self._tracker.was_removed():
            return
        log.warning("%s was removed; delivering all log files again", self._tracker.path)
        self._tracker.forget_everything()
        self.revision += 1
        for tail in self._tails.values():
            tail.forget()

    def begin_again(self, tail: Tail) -> None:
        """Read a file that was emptied or replaced from its start; what was lost with it is reported."""
        self.revision += 1
        report = tail.end(REPLACED)
        tail.begin_again()
        self._tracker.keep(tail.checkpoint)
        self._tell_end(report)

    def report_unreadable(self, path: Path, error: OSError) -> None:
        if path not in self._unreadable:
            log.error("%s", storage_path_refused(path, error))
            self._unreadable.add(path)

    def _follow_all(self, monotonic: float) -> dict[Key, LogFile]:
        found = find_files(self._storage_path, self.report_unreadable)
        files: dict[Key, LogFile] = {}
        for file in found:
            # A file may have several names: it is called by the last of them, and has its place.
            files.pop(file.key, None)
            files[file.key] = file
        # At once: a file that is closed between two looks could be gone before it is opened again.
        self._kept_open |= set(list(files)[-_OPEN_LIMIT:])
        gone = {key: tail for key, tail in self._tails.items() if key not in files}
        for tail in gone.values():
            tail.gone_at = monotonic if tail.gone_at is None else tail.gone_at
        self._replaced = []
        self.unexpected = set()
        followed = {key: self._follow(file, monotonic) for key, file in files.items()}
        kept = {key: tail for key, tail in followed.items() if tail is not None}
        self._tails = {**gone, **kept}
        self._gone = list(gone.values())
        # What happens is told of the name that was used.
        self._tails_by_name = {file.name: kept[file.key] for file in found if file.key in kept}
        self._seen = {key: seen for key, seen in self._seen.items() if key in files}
        self.revision += 1
        self._drain(monotonic)
        return files

    def _follow(self, file: LogFile, monotonic: float) -> Tail | None:
        """The file's tail; None if it is new and cannot be opened, so that it stays new."""
        tail = self._tails.get(file.key)
        if tail is not None and not tail.is_open and self._is_as_seen(tail, file):
            tail.gone_at = None
            return tail
        was_open = tail is not None and tail.is_open
        try:
            if tail is None or not self._is_still(tail, file):
                tail = self._new_tail(file)
            if tail is None:
                return None
            tail.gone_at = None
            # Not the time of change: another hard link alters that, of which nobody is told.
            if not file.is_link and self._seen.get(file.key, file.stamp)[:2] != file.stamp[:2]:
                self.unexpected.add(file.name)
            if tail.is_replaced():
                self._replaced.append(tail)
            else:
                self._see(tail, file, monotonic)
        except OSError as error:
            self._seen.pop(file.key, None)
            self.report_unreadable(file.path, error)
            return self._tails.get(file.key)
        finally:
            if tail is not None and not was_open:
                self.rest(tail)
        return tail

    def _is_as_seen(self, tail: Tail, file: LogFile) -> bool:
        return tail.name == file.name and self._seen.get(file.key) == file.stamp

    def _is_still(self, tail: Tail, file: LogFile) -> bool:
        """Whether this is the file of before; its inode may be another's since it was closed."""
        before, tail.file = tail.file, file
        if not tail.open():
            tail.file = before
            self._end(tail)
            return False
        if before.name != file.name:
            log.info("%s was renamed to %s; reading continues there", before.name, file.name)
        return True

    def _see(self, tail: Tail, file: LogFile, monotonic: float) -> None:
        tail.found_at = min(tail.found_at, monotonic)
        if tail.size != file.size:
            tail.grown_at = monotonic
            self.revision += 1
        is_renamed = tail.checkpoint.name != file.name
        tail.see(file.size)
        if is_renamed and tail.key in self._tracker.checkpoints:
            self._tracker.keep(tail.checkpoint)
        self._seen[tail.key] = file.stamp
        tail.file = file
        if tail.may_be_copy:
            self._compare_with_originals(tail, monotonic - (tail.grown_at or tail.found_at))

    def _touch(self, tail: Tail, monotonic: float) -> bool:
        try:
            file = tail.file.now()
            if file is None or file.key != tail.key:
                return False
            if self._seen.get(tail.key) == file.stamp and not tail.is_waiting:
                return True
            if not tail.open() or tail.is_replaced():
                return False
            self._see(tail, file, monotonic)
            self.rest(tail)
        except OSError as error:
            self.report_unreadable(tail.path, error)
        return True

    def _new_tail(self, file: LogFile) -> Tail | None:
        """A tail that goes on where the tracker says; None if the file is gone again."""
        tail = Tail(file, self._host, self._batch_size)
        if not tail.open():
            return None
        known = self._tracker.find(tail.checkpoint)
        if known is None:
            # Of a file that is gone, whose inode this one was given.
            self._forget(self._tracker.checkpoints.keys() & {tail.key})
            return tail
        tail.resume(known)
        if known.key != tail.key:
            self._tracker.drop(known.key)
        self._tracker.keep(tail.checkpoint)
        return tail

    def _compare_with_originals(self, tail: Tail, quiet_seconds: float) -> None:
        """Go on where the original was left if this is a copy; wait if it may become one."""
        head = tail.head()
        originals = [
            known
            for known in self._tracker.checkpoints.values()
            if known.key != tail.key and known.may_be_copied_to(tail.name, head)
        ]
        original = max(filter(tail.holds, originals), key=lambda known: known.offset, default=None)
        if original is not None:
            tail.resume(original)
            tail.see(tail.size)
            self._tracker.keep(tail.checkpoint)
            log.info("%s is a copy of %s; reading continues at the same position", tail.name, original.name)
        may_grow = original is None and any(known.offset > tail.size for known in originals)
        tail.is_waiting = tail.may_be_copy = may_grow and quiet_seconds < _COPY_SECONDS

    def _drain(self, monotonic: float) -> None:
        """Read on what was moved away or removed, and let go of it when nothing more comes."""
        self._gone = [tail for tail in self._gone if tail.gone_at is not None and tail.key in self._tails]
        for tail in list(self._gone):
            tail.is_waiting = tail.may_be_copy = False
            if tail.is_open:
                size = tail.size
                self._scan(tail, monotonic)
                if tail.size > size:
                    tail.gone_at = monotonic
                    self.revision += 1
                if tail.has_batch or monotonic - (tail.gone_at or monotonic) < _GONE_SECONDS:
                    continue
            if tail.size > tail.offset:
                log.warning("%s was removed with %d bytes undelivered", tail.name, tail.size - tail.offset)
            self._end(tail)

    def _scan(self, tail: Tail, monotonic: float) -> None:
        try:
            tail.scan(monotonic)
        except OSError as error:
            self.report_unreadable(tail.path, error)

    def _end(self, tail: Tail) -> None:
        report = tail.end(REMOVED)
        tail.close()
        self._tails.pop(tail.key, None)
        self._tracker.drop(tail.key)
        self._tell_end(report)

    def _forget(self, keys: Iterable[Key]) -> None:
        """Those that were gone before anybody looked."""
        for key in list(keys):
            known = self._tracker.drop(key)
            if known is not None and known.file_id and known.size > known.offset:
                log.warning("%s was removed with %d bytes undelivered", known.name, known.size - known.offset)
                host = known.reported_host(self._host)
                source = Source(host, known.name, known.file_id, known.size)
                self._tell_end(Report(source, known.offset, known.offset, end=REMOVED))

    def _tell_end(self, report: Report | None) -> None:
        if report is None:
            return
        file_id = report.source.file_id
        copies = [known for known in self._tracker.checkpoints.values() if known.file_id == file_id]
        if copies:
            # What the copy holds is delivered from there.
            until = max(report.until, *(known.size for known in copies))
            report = replace(report, since=until, until=until)
        if not copies or report.until < report.source.file_size:
            self._tracker.report(report)

    def rest(self, tail: Tail) -> None:
        """Close the file unless it is one of those that are kept open, or lines of it are on their way."""
        if tail.gone_at is None and tail.key not in self._kept_open and not tail.is_on_way:
            tail.close()

    def _limit_open(self) -> None:
        newest = self.tails[-_OPEN_LIMIT:]
        self._kept_open = {tail.key for tail in newest}
        self._glanced_at = [
            tail
            for tail in self._tails.values()
            if tail.gone_at is None and (tail.key in self._kept_open or tail.file.is_link or tail.is_waiting)
        ]
        for tail in self._tails.values():
            self.rest(tail)
        for tail in newest:
            try:
                tail.open()
            except OSError as error:
                self.report_unreadable(tail.path, error)
            else:
                self._unreadable.discard(tail.path)
