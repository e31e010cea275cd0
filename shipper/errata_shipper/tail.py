"""One log file, read from its checkpoint on, a batch at a time."""

import logging
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from errata_wire.limits import LINE_MAX_BYTES

from errata_shipper.batch import NUL, Batch, lines_of
from errata_shipper.btime import btime_of
from errata_shipper.checkpoint import Checkpoint
from errata_shipper.errors import FileReplaced
from errata_shipper.log_file import LogFile
from errata_shipper.report import REMOVED, Report
from errata_shipper.scan import OversizeLine, Scan
from errata_shipper.source import FIRST_LINE_BYTES, Source, file_id_of, is_first_line_whole

_CHUNK_BYTES = 256 << 10

log = logging.getLogger(__name__)


class Tail:
    def __init__(self, file: LogFile, host: str, batch_size: int) -> None:
        self.file = file
        self.size = file.size
        # When its path was found gone; until it is drained it is read through the open descriptor.
        self.gone_at: float | None = None
        self.unread_since: float | None = None
        # copytruncate makes copies, which are to be read on where the original was left.
        self.may_be_copy = not file.is_plain
        # Nothing is sent of what looks like a copy in the making.
        self.is_waiting = False
        self.found_at = float("inf")
        self.grown_at: float | None = None
        self._checkpoint = Checkpoint(file.name, *file.key, host=host)
        # As it will be once what is on its way is delivered; None if nothing is.
        self._ahead: Checkpoint | None = None
        self._waited_since: float | None = None
        self._host = host
        self._batch_size = batch_size
        self._descriptor = -1
        self._warned_until = 0
        self._restart_scan()

    @property
    def path(self) -> Path:
        return self.file.path

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def checkpoint(self) -> Checkpoint:
        return self._checkpoint

    @property
    def key(self) -> tuple[int, int]:
        return self._checkpoint.key

    @property
    def offset(self) -> int:
        return self._checkpoint.offset

    @property
    def file_id(self) -> str:
        """Empty until the first line of the file was read."""
        return self._checkpoint.file_id

    @property
    def is_open(self) -> bool:
        return self._descriptor >= 0

    @property
    def is_on_way(self) -> bool:
        """Whether something of it was sent and not settled yet."""
        return self._ahead is not None

    @property
    def _reached(self) -> Checkpoint:
        return self._ahead or self._checkpoint

    @property
    def has_batch(self) -> bool:
        return self._scan.has_batch

    @property
    def is_unscanned(self) -> bool:
        """Whether `scan` may find more in it."""
        return self.size != self._scan.position and not self._scan.is_full

    @property
    def has_full_batch(self) -> bool:
        return self.has_batch and (self._scan.is_full or self._reached.attempted_until is not None)

    def open(self) -> bool:
        """Have the file open; False if its path is gone or leads to another file by now."""
        if self._descriptor >= 0:
            return True
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return False
        state = os.fstat(descriptor)
        birth_ns = btime_of(descriptor)
        present = Checkpoint(self.name, state.st_dev, state.st_ino, birth_ns=birth_ns)
        if self._checkpoint.key != present.key or not self._checkpoint.is_of_inode(present):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        if self._checkpoint.birth_ns != birth_ns:
            self._checkpoint = replace(self._checkpoint, birth_ns=birth_ns)
        return True

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def resume(self, known: Checkpoint) -> None:
        """Go on from where a tracked file, or the one that this is a copy of, was left."""
        device, inode = self.key
        birth_ns = self._checkpoint.birth_ns
        host = known.reported_host(self._host)
        self._checkpoint = replace(known, device=device, inode=inode, birth_ns=birth_ns, host=host)
        self.may_be_copy = self.is_waiting = False
        self._ahead = None
        self._restart_scan()

    def holds(self, known: Checkpoint) -> bool:
        """Whether this file begins with all that was delivered of another one."""
        return self.open() and known.offset <= self.size and known.is_of(self._descriptor)

    def head(self) -> bytes:
        return os.pread(self._descriptor, FIRST_LINE_BYTES, 0) if self.open() else b""

    def is_replaced(self) -> bool:
        """Whether the file was emptied or replaced behind our back."""
        return self.open() and not self._checkpoint.is_of(self._descriptor)

    def see(self, size: int) -> None:
        """Take the size that the file had when it was last known to be the same."""
        self.size = size
        if (self._checkpoint.name, self._checkpoint.size) != (self.name, size):
            self._checkpoint = replace(self._checkpoint, name=self.name, size=size)

    def begin_again(self) -> None:
        log.warning(
            "%s differs from when it was read up to byte %d (truncated or replaced); "
            "reading it from the start",
            self.name,
            self.offset,
        )
        self._start_over(file_id="", size=0, host=self._host)

    def forget(self) -> None:
        """What was delivered of the file, not which file it is."""
        self._start_over(self.file_id, self._checkpoint.size, self._checkpoint.host)

    def _start_over(self, file_id: str, size: int, host: str) -> None:
        birth_ns = self._checkpoint.birth_ns
        self._checkpoint = Checkpoint(
            self.name, *self.key, birth_ns=birth_ns, file_id=file_id, size=size, host=host
        )
        self._ahead = None
        self._restart_scan()

    def scan(self, monotonic: float) -> None:
        """Look for the end of the next batch in what was written since the last look."""
        if self._scan.is_full or not self.open():
            return
        self.size = os.fstat(self._descriptor).st_size
        if self.size < self._scan.position:
            # Emptied before anything of it was delivered, which no hash could tell.
            self._restart_scan()
        if self._reached.attempted_until is not None and self._take_attempted():
            return
        while not self._scan.is_full:
            chunk = os.pread(self._descriptor, _CHUNK_BYTES, self._scan.position)
            if not chunk:
                break
            if self._scan.position == 0 and is_first_line_whole(chunk):
                self._checkpoint = replace(self._checkpoint, file_id=file_id_of(chunk))
            self._scan.take(chunk)
        if self.has_batch and self.unread_since is None:
            self.unread_since = monotonic

    def next_batch(self) -> Batch | OversizeLine:
        """What `scan` found. Raises FileReplaced if the file was emptied or replaced since."""
        since, until = self._reached.offset, self._scan.until
        if not self.open():
            raise FileReplaced(self.name, since)
        if self._scan.is_oversize:
            self._identify()
            if not self._reached.is_of(self._descriptor):
                raise FileReplaced(self.name, since)
            return self._oversize(since, until)
        content = self._read(since, until)
        self._identify()
        if NUL in content:
            self._warn_of_nuls(since, until)
        return Batch(self._source, since, content, lines_of(content, since))

    def read_on(self, batch: Batch) -> None:
        """Let the next batch be what follows this one, which is on its way."""
        if self._ahead is None:
            self._waited_since = self.unread_since
        self._ahead = self._reached.advanced(batch.until, batch.content, self._descriptor)
        self._restart_scan()

    def rewind(self) -> None:
        """Let what is on its way be sent again, as it was."""
        if self._ahead is not None:
            self._ahead = None
            self._restart_scan()
            self.unread_since = self._waited_since

    def advance(
        self, until: int, delivered: bytes, moved_at: str = "", attempted_until: int | None = None
    ) -> None:
        """Move the checkpoint: everything before `until` is stored, or set aside; `delivered` ends there."""
        checkpoint = self._checkpoint.advanced(until, delivered, self._descriptor)
        size = max(checkpoint.size, until)
        self._checkpoint = replace(checkpoint, size=size, moved_at=moved_at, attempted_until=attempted_until)
        if self._ahead is None:
            self._restart_scan()
        elif until >= self._ahead.offset:
            self._ahead = None

    def report(self, since: int, until: int, set_aside_count: int = 0) -> Report:
        """That bytes `since` to `until` are done with, though none of them was sent."""
        return Report(self._source, since, until, set_aside_count)

    def end(self, end: str) -> Report | None:
        """That what follows the checkpoint will never come; None if nothing does, or no id names the file."""
        # Of a replaced file the first line that is there now is another one.
        if end == REMOVED:
            self._identify()
        size = max(self._checkpoint.size, self.offset, self.size if end == REMOVED else 0)
        if not self.file_id or size <= self.offset:
            return None
        source = Source(self._checkpoint.host, self._checkpoint.name, self.file_id, size)
        return Report(source, self.offset, self.offset, end=end)

    def mark_attempted(self, until: int) -> None:
        self._checkpoint = replace(self._checkpoint, attempted_until=until)

    def mark_unattempted(self) -> None:
        # The lines have waited long enough already: only the batch's end is looked for anew.
        unread_since = self.unread_since
        self._checkpoint = replace(self._checkpoint, attempted_until=None)
        self._restart_scan()
        self.unread_since = unread_since

    def chunks(self, since: int, until: int) -> Iterator[bytes]:
        """The file's bytes from `since` to `until`, a bounded piece at a time."""
        position = since
        while position < until:
            chunk = os.pread(self._descriptor, min(_CHUNK_BYTES, until - position), position)
            if not chunk:
                raise FileReplaced(self.name, position)
            yield chunk
            position += len(chunk)

    def _read(self, since: int, until: int) -> bytes:
        content = os.pread(self._descriptor, until - since, since)
        if len(content) < until - since:
            # One call may return less than asked for even where more is there.
            content += b"".join(self.chunks(since + len(content), until))
        # After the reading: had the file been replaced before or during it, this would show.
        if not content.endswith(b"\n") or not self._reached.is_of(self._descriptor):
            raise FileReplaced(self.name, since)
        return content

    def _oversize(self, since: int, until: int) -> OversizeLine:
        """A line that stands after NUL bytes is not part of what is too long."""
        possible_since = until - LINE_MAX_BYTES - 1
        after_nuls = b"".join(self.chunks(possible_since, until)).rfind(NUL) + 1
        if not after_nuls:
            return OversizeLine(since, until)
        until = possible_since + after_nuls
        self._warn_of_nuls(since, until)
        is_blank = not any(chunk.strip(NUL) for chunk in self.chunks(since, until))
        return OversizeLine(since, until, is_blank)

    def _warn_of_nuls(self, since: int, until: int) -> None:
        if until > self._warned_until:
            self._warned_until = until
            log.warning(
                "%s contains NUL bytes between byte %d and %d, probably after a power cut; skipping them",
                self.name,
                since,
                until,
            )

    @property
    def _source(self) -> Source:
        return Source(self._checkpoint.host, self.name, self.file_id, self.size)

    def _identify(self) -> None:
        if not self.file_id and self.is_open:
            self._checkpoint = replace(self._checkpoint, file_id=file_id_of(self.head()))

    def _take_attempted(self) -> bool:
        until = self._checkpoint.attempted_until
        if until is None or until > self.size:
            self.mark_unattempted()
            return False
        self._scan.take_all(until)
        return True

    def _restart_scan(self) -> None:
        self._scan = Scan(self._reached.offset, self._batch_size)
        self.unread_since = None
