"""One issue as its page and the list show it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from dashboards.shared.level import known_level
from errata.warehouse.queries.vocabulary import Status


class IssueRow(Protocol):
    """The columns that rows of the list and the head of an issue's page have in common."""

    @property
    def id(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def culprit(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def status(self) -> Status: ...
    @property
    def event_count(self) -> int: ...
    @property
    def user_count(self) -> int: ...
    @property
    def first_seen(self) -> datetime: ...
    @property
    def last_seen(self) -> datetime: ...
    @property
    def first_release(self) -> str: ...
    @property
    def last_release(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Issue:
    """Counts are those of the period shown; first and last seen are of all time."""

    id: str
    type: str
    title: str
    culprit: str
    level: str
    status: str
    event_count: int
    user_count: int
    first_seen: datetime | None
    last_seen: datetime | None
    first_release: str = ""
    last_release: str = ""

    @property
    def heading(self) -> str:
        return self.type or self.title or "Error without a message"

    @property
    def rest(self) -> str:
        """The title without the type it begins with."""
        if not self.type:
            return ""
        return self.title.removeprefix(self.type).removeprefix(":").strip()

    @property
    def short_id(self) -> str:
        return self.id[:8]


def issue(row: IssueRow) -> Issue:
    return Issue(
        id=row.id,
        type=row.type,
        title=row.title,
        culprit=row.culprit,
        level=known_level(row.level),
        status=row.status.value,
        event_count=row.event_count,
        user_count=row.user_count,
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        first_release=row.first_release,
        last_release=row.last_release,
    )
