"""What is stored of one identified user beside their issues: page loads, sessions and events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.deletions import kept_events
from errata.warehouse.queries.users.list import UserFilters
from errata.warehouse.typed_rows import typed

LATEST = 50


@dataclass(frozen=True)
class UserLoad:
    """A real page load; `view_id` finds its waterfall, fastest with day and trace (empty: none)."""

    view_id: str
    trace_id: str
    page: str
    occurred_at: datetime
    received_at: datetime
    environment: str
    release: str
    device: str
    browser: str
    load_ms: float | None
    lcp_ms: float | None
    is_slowest: bool


@dataclass(frozen=True)
class UserSession:
    session_id: UUID
    started_at: datetime
    status: str
    error_count: int
    duration_ms: float | None
    release: str
    environment: str


@dataclass(frozen=True)
class UserEvent:
    """`issue_id` 0: in no issue yet."""

    event_id: UUID
    issue_id: int
    occurred_at: datetime
    type: str
    message: str
    level: str
    environment: str
    release: str
    transaction: str

    @property
    def id(self) -> str:
        return self.event_id.hex


def loads_of_user(
    warehouse: Warehouse, project_id: int, filters: UserFilters, user_hash: int
) -> Sequence[UserLoad]:
    """The latest loads and the slowest one, latest first."""
    about = _about(project_id, filters, user_hash) | filters.scope_of_loads
    rows = warehouse.rows(sql.query("loads_of_user"), about)
    return [typed(UserLoad, row) for row in rows]


def sessions_of_user(
    warehouse: Warehouse, project_id: int, filters: UserFilters, user_hash: int
) -> Sequence[UserSession]:
    """The latest sessions. SDKs name a session's user by one text, which is taken as their id."""
    rows = warehouse.rows(sql.query("sessions_of_user"), _about(project_id, filters, user_hash))
    return [typed(UserSession, row) for row in rows]


def events_of_user(
    warehouse: Warehouse, project_id: int, filters: UserFilters, user_hash: int
) -> Sequence[UserEvent]:
    """The latest events."""
    statement = sql.query("events_of_user").at(is_kept=kept_events(warehouse, [project_id]))
    rows = warehouse.rows(statement, _about(project_id, filters, user_hash))
    return [typed(UserEvent, row, event_id=row["item_id"]) for row in rows]


def _about(project_id: int, filters: UserFilters, user_hash: int) -> dict[str, Any]:
    return {**filters.scope, "project_id": project_id, "user_hash": user_hash, "limit": LATEST}
