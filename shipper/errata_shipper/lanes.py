"""The order of files: the newest one and the backlog alternate, so that neither starves the other."""

from errata_shipper.clock import Clock
from errata_shipper.log_directory import LogDirectory
from errata_shipper.tail import Tail

# After a silence, lines that are written together are waited for so long.
GATHER_SECONDS = 0.2


class Lanes:
    """An incomplete batch is sent `flush_interval_seconds` after the one before, but soon where nothing was
    sent for so long."""

    def __init__(self, directory: LogDirectory, clock: Clock, flush_interval_seconds: float) -> None:
        self._directory = directory
        self._clock = clock
        self._flush_interval_seconds = flush_interval_seconds
        self._sent_at = float("-inf")
        self._is_newest_next = True
        self._revision = -1
        self._newest: list[Tail] = []
        self._older: list[Tail] = []

    def next_due(self, is_flushing: bool = False) -> Tail | None:
        """The next due file, alternating between the newest one and the oldest with a backlog."""
        newest, older = self._lanes()
        for lane in (newest, older) if self._is_newest_next else (older, newest):
            for tail in reversed(lane):
                if self._is_due(tail, is_flushing or (lane is older and not self._is_growing(tail))):
                    self._is_newest_next = lane is older
                    return tail
        return None

    def _lanes(self) -> tuple[list[Tail], list[Tail]]:
        """The newest file, and of thousands of older ones those that hold something to deliver."""
        if self._revision != self._directory.revision:
            self._revision = self._directory.revision
            tails = self._directory.tails
            self._newest = tails[-1:]
            # The oldest last, where it is cheap to take away.
            self._older = [tail for tail in reversed(tails[:-1]) if tail.size > tail.offset]
        while self._older and self._older[-1].size <= self._older[-1].offset:
            self._older.pop()
        return self._newest, self._older

    def due_at(self) -> float:
        """When the next incomplete batch has waited long enough."""
        newest, older = self._lanes()
        unread = (tail.unread_since for tail in [*newest, *older] if not tail.is_waiting)
        return self._due_from(min((since for since in unread if since is not None), default=float("inf")))

    def note_sent(self) -> None:
        self._sent_at = self._clock.monotonic()

    def _due_from(self, unread_since: float) -> float:
        """When a batch whose first line has waited since then is sent, however few lines it has."""
        after_the_last = max(unread_since + GATHER_SECONDS, self._sent_at + self._flush_interval_seconds)
        return min(unread_since + self._flush_interval_seconds, after_the_last)

    def may_grow(self, tail: Tail) -> bool:
        """Whether lines written now belong to the tail's next batch."""
        return not tail.has_full_batch and (tail in self._newest or self._is_growing(tail))

    def _is_growing(self, tail: Tail) -> bool:
        """An older file is no longer written to as a rule, but it may be that of another time zone."""
        if tail.grown_at is None:
            return False
        return self._clock.monotonic() - tail.grown_at < self._flush_interval_seconds

    def _is_due(self, tail: Tail, is_flushing: bool) -> bool:
        if tail.is_waiting or tail.size <= tail.offset:
            return False
        if tail.is_unscanned:
            self._scan(tail)
        if not tail.has_batch:
            return False
        if tail.has_full_batch:
            return True
        if tail.is_on_way:
            # Only full batches are cut again as they were: this one may grow.
            return False
        if is_flushing or tail.unread_since is None:
            return True
        return self._clock.monotonic() >= self._due_from(tail.unread_since)

    def _scan(self, tail: Tail) -> None:
        try:
            tail.scan(self._clock.monotonic())
        except OSError as error:
            # One file that cannot be read must not hold back the others.
            self._directory.report_unreadable(tail.path, error)
        self._directory.rest(tail)
