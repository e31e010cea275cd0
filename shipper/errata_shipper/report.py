"""What the delivery ledger must be told of bytes that are not sent, so that it finds no false holes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from errata_shipper.batch import Line
from errata_shipper.source import Source

REMOVED = "removed"
REPLACED = "replaced"


@dataclass(frozen=True)
class Report:
    """Bytes `since` to `until` hold nothing to send; with an `end`, those after `until` never come."""

    source: Source
    since: int
    until: int
    set_aside_count: int = 0
    end: str | None = None

    @property
    def body(self) -> bytes:
        return b""

    @property
    def lines(self) -> Sequence[Line]:
        return ()

    @property
    def header(self) -> str:
        """The value of X-Errata-Source."""
        return self.source.header(
            self.since, self.until, set_aside=self.set_aside_count or None, end=self.end
        )

    @property
    def identity(self) -> str:
        return f"{self.source.identity}\0{self.since}\0{self.until}\0{self.set_aside_count}\0{self.end}"

    def joined(self, later: "Report") -> "Report | None":
        """This report and one of the bytes right after it as one; None if they are not alike."""
        mine = (self.source.host, self.source.file_name, self.source.file_id, self.until, self.end)
        its = (later.source.host, later.source.file_name, later.source.file_id, later.since, None)
        if mine != its:
            return None
        set_aside_count = self.set_aside_count + later.set_aside_count
        return replace(later, since=self.since, set_aside_count=set_aside_count)

    def document(self) -> dict[str, Any]:
        numbers = {"since": self.since, "until": self.until, "set_aside_count": self.set_aside_count}
        return {**asdict(self.source), **numbers, "end": self.end}


def report_of(document: dict[str, Any]) -> Report:
    """Raises KeyError, TypeError or ValueError if the document is no report."""
    for name in ("host", "file_name", "file_id"):
        if type(document[name]) is not str:
            raise ValueError(f"{name} of a report is {document[name]!r}")
    for name in ("file_size", "since", "until", "set_aside_count"):
        if type(document[name]) is not int or document[name] < 0:
            raise ValueError(f"{name} of a report is {document[name]!r}")
    if document["end"] not in (None, REMOVED, REPLACED):
        raise ValueError(f"end of a report is {document['end']!r}")
    return Report(
        Source(document["host"], document["file_name"], document["file_id"], document["file_size"]),
        document["since"],
        document["until"],
        document["set_aside_count"],
        document["end"],
    )
