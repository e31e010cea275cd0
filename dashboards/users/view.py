"""One user with all that is stored of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.shared.issue import Issue, issue
from dashboards.users.sessions import session_words
from dashboards.users.timeline import Timeline, timeline
from errata.warehouse.at_once import submitted
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.filters import IssueFilters
from errata.warehouse.queries.issues.list import issues_of_project
from errata.warehouse.queries.users.list import UserFilters, UserRow, user_of_project
from errata.warehouse.queries.users.user import (
    UserEvent,
    UserLoad,
    UserSession,
    events_of_user,
    loads_of_user,
    sessions_of_user,
)
from errata.warehouse.queries.vocabulary import issue_text

LOADS_SHOWN, SESSIONS_SHOWN, EVENTS_SHOWN = 10, 10, 20


@dataclass(frozen=True)
class ShownSession:
    row: UserSession
    words: str


@dataclass(frozen=True)
class ShownUser:
    user: UserRow
    issues: Sequence[Issue]
    has_more_issues: bool
    timeline: Timeline
    loads: Sequence[UserLoad]
    sessions: Sequence[ShownSession]
    events: Sequence[UserEvent]

    @property
    def has_durations(self) -> bool:
        return any(one.row.duration_ms is not None for one in self.sessions)

    def issue_key(self, event: UserEvent) -> str:
        """The id of the event's issue in addresses; empty: in none yet."""
        return issue_text(event.issue_id) if event.issue_id else ""


def shown_user(
    warehouse: Warehouse, project_id: int, filters: UserFilters, user_hash: int
) -> ShownUser | None:
    narrowed = IssueFilters(filters.period, filters.environment, filters.release, user_hash=user_hash)
    loads = submitted(lambda: loads_of_user(warehouse, project_id, filters, user_hash))
    sessions = submitted(lambda: sessions_of_user(warehouse, project_id, filters, user_hash))
    events = submitted(lambda: events_of_user(warehouse, project_id, filters, user_hash))
    user = user_of_project(warehouse, project_id, filters, user_hash)
    listed = issues_of_project(warehouse, project_id, narrowed)
    if user is None:
        return None
    found = events.result(), loads.result(), sessions.result()
    return ShownUser(
        user,
        [issue(row) for row in listed.issues],
        bool(listed.next_cursor),
        timeline(*found),
        _latest_and_slowest(found[1]),
        [ShownSession(row, session_words(row)) for row in found[2][:SESSIONS_SHOWN]],
        found[0][:EVENTS_SHOWN],
    )


def _latest_and_slowest(loads: Sequence[UserLoad]) -> Sequence[UserLoad]:
    return [*loads[:LOADS_SHOWN], *(load for load in loads[LOADS_SHOWN:] if load.is_slowest)]
