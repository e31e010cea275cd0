from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from errata_shipper.source import Source

_BLANK = b" \t\r\n\v\f"
_LAST_BLANK = max(_BLANK)
# A power cut can leave a run of these where lines were written but not yet on the disk. What was cut off
# stands before it and the next line right after it, without a newline between them. JSON holds none.
NUL = b"\0"


class Line(NamedTuple):
    """Where in the file a line stands; `until` includes its newline, if it has one."""

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
        """The line's bytes, with a newline."""
        content = self.content[line.since - self.since : line.until - self.since]
        return content if content.endswith(b"\n") else content + b"\n"

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
    if NUL in content:
        return list(_lines_beside_nuls(content, since))
    lines = []
    start = 0
    while start < len(content):
        end = content.index(b"\n", start) + 1
        # The first byte tells nearly always, without a copy of the line.
        if content[start] > _LAST_BLANK or content[start:end].strip(_BLANK):
            lines.append(Line(since + start, since + end))
        start = end
    return lines


def _lines_beside_nuls(content: bytes, since: int) -> Iterator[Line]:
    start = 0
    while start < len(content):
        end = content.index(b"\n", start) + 1
        after_nuls = content.rfind(NUL, start, end) + 1
        pieces = [(start, after_nuls), (after_nuls, end)] if after_nuls else [(start, end)]
        for piece_start, piece_end in pieces:
            piece = content[piece_start:piece_end]
            inside = piece.strip(NUL)
            if inside.strip(_BLANK):
                inside_start = since + piece_start + len(piece) - len(piece.lstrip(NUL))
                yield Line(inside_start, inside_start + len(inside))
        start = end
