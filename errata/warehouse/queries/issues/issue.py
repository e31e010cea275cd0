"""An issue as the list shows it."""

from dataclasses import dataclass
from datetime import datetime

from errata.warehouse.queries.vocabulary import Status, issue_text


@dataclass(frozen=True)
class Issue:
    """A row of the list: counts and sparkline of the period, first and last seen and releases of all time."""

    issue_id: int
    title: str
    culprit: str
    type: str
    level: str
    platform: str
    status: Status
    first_seen: datetime
    last_seen: datetime
    event_count: int
    user_count: int
    first_release: str
    last_release: str
    sparkline: tuple[int, ...]
    hours: tuple[int, ...] = ()
    """Events of the last 24 hours, one number an hour; empty: not counted for this question."""
    days: tuple[int, ...] = ()
    """Of the last 30 days, one number a day."""
    assignee: str = ""
    """E-mail address; empty: nobody."""
    chosen_priority: str = ""
    """Set by a person; empty: as computed."""

    @property
    def id(self) -> str:
        return issue_text(self.issue_id)
