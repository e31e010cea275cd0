"""One issue as its page and the list show it."""

from dataclasses import dataclass
from datetime import datetime

STATUSES = ("unresolved", "resolved", "ignored")


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
        return f"…{self.id[-6:]}" if len(self.id) > 8 else self.id


@dataclass(frozen=True, slots=True)
class Way:
    """A step from one event of the issue to another; without an address there is none."""

    name: str
    address: str
    rel: str = ""
