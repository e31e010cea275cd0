from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from errata_shipper.source import Source

_BLANK = b" \t\r\n\v\f"
_LAST_BLANK = max(_BLANK)


class Line(NamedTuple):
    """Where in the file a line stands; `until` includes its newline."""

    since: int
    until: int


@dataclass(frozen=True)
class Batch:
    """Bytes `since` to `until` of one file, whole lines; `lines` leaves the blank ones out."""

    source: Source
    since: int
    content: bytes
    lines: Sequence[Line]

    @property
    def until(self) -> int:
        return self.since + len(self.content)

    @cached_property
    def body(self) -> bytes:
        if sum(line.until - line.since for line in self.lines) == len(self.content):
            return self.content
        return b"".join(self.content_of(line) for line in self.lines)

    @property
    def identity(self) -> str:
        return f"{self.source.identity}\0{self.since}\0{self.until}\0"

    @property
    def header(self) -> str:
        """The value of X-Errata-Source."""
        return self.source.header(self.since, self.until)

    def content_of(self, line: Line) -> bytes:
        """The line's bytes, its newline included."""
        return self.content[line.since - self.since : line.until - self.since]

    def halves(self) -> tuple["Batch", "Batch"]:
        middle = len(self.lines) // 2
        border = self.lines[middle].since
        return (
            self._part(self.since, border, self.lines[:middle]),
            self._part(border, self.until, self.lines[middle:]),
        )

    def _part(self, since: int, until: int, lines: Sequence[Line]) -> "Batch":
        content = self.content[since - self.since : until - self.since]
        return replace(self, since=since, content=content, lines=lines)


def lines_of(content: bytes, since: int) -> list[Line]:
    """The lines, without blank ones, of `content`, which stands at byte `since` and ends with a newline."""
    lines = []
    start = 0
    while start < len(content):
        end = content.index(b"\n", start) + 1
        # The first byte tells nearly always, without a copy of the line.
        if content[start] > _LAST_BLANK or content[start:end].strip(_BLANK):
            lines.append(Line(since + start, since + end))
        start = end
    return lines
