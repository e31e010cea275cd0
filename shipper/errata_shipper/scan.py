"""The search for the end of the next batch in what follows a checkpoint."""

from dataclasses import dataclass, field

from errata_wire.limits import HEAD_BYTES, line_max_bytes

MAX_BATCH_BYTES = 8 << 20


@dataclass(frozen=True)
class OversizeLine:
    """A line too long to be sent: bytes `since` to `until` of the file, the newline included."""

    since: int
    until: int
    # Nothing but the NUL bytes that a power cut left.
    is_blank: bool = False


@dataclass
class Scan:
    """What was found so far of the batch that begins at `since`: whole lines up to `until`."""

    since: int
    batch_size: int
    until: int = field(init=False)
    # How far was read; what stands between `until` and here is the beginning of a line.
    position: int = field(init=False)
    line_count: int = 0
    is_full: bool = False
    is_oversize: bool = False
    # Of the line that begins at `until`.
    _head: bytes = b""

    def __post_init__(self) -> None:
        self.until = self.position = self.since

    @property
    def has_batch(self) -> bool:
        return self.until > self.since

    def take(self, chunk: bytes) -> None:
        """Search what stands at `position`."""
        start = 0
        while (newline := chunk.find(b"\n", start)) >= 0:
            self._begin(chunk[start : min(newline, start + HEAD_BYTES)])
            start = newline + 1
            if not self._take_line(self.position + start):
                return
            self._head = b""
        self._begin(chunk[start : start + HEAD_BYTES])
        self.position += len(chunk)
        # The line that begins here is too long already: what stands before it need not wait for its end.
        self.is_full = self.position - self.until > line_max_bytes(self._head) and self.has_batch

    def _begin(self, more: bytes) -> None:
        if len(self._head) < HEAD_BYTES:
            self._head = (self._head + more)[:HEAD_BYTES]

    def take_all(self, until: int) -> None:
        """Let the batch end at `until`, whatever stands there."""
        self.until = until
        self.is_full = True

    def _take_line(self, until: int) -> bool:
        """Let the batch end with the line that ends at `until`; False once the batch is full."""
        line_bytes = until - self.until - 1
        is_long = line_bytes > line_max_bytes(self._head)
        self.is_oversize = is_long and not self.has_batch
        if self.is_oversize:
            self.until = until
        if is_long or (until - self.since > MAX_BATCH_BYTES and self.has_batch):
            self.is_full = True
            return False
        self.until = until
        self.line_count += line_bytes > 0
        self.is_full = self.line_count >= self.batch_size
        return not self.is_full
