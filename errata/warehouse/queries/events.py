"""The events of an issue, and one event with all it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from errata.warehouse import sql
from errata.warehouse.builds.records import aware
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.queries.cursor import cursor_text, cursor_values, unknown_cursor

NIL = UUID(int=0)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TELLING_AMONG = 100
MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True)
class User:
    """Who met the error, as far as the SDK said; all empty: nobody was identified."""

    id: str
    email: str
    name: str
    ip: str


@dataclass(frozen=True)
class EventRow:
    event_id: UUID
    occurred_at: datetime
    received_at: datetime
    environment: str
    release: str
    level: str
    message: str
    user: User
    transaction: str
    server_name: str
    service: str
    browser: str
    os: str
    request_method: str
    request_url: str
    tags: Mapping[str, str]
    is_clock_corrected: bool

    @property
    def id(self) -> str:
        return self.event_id.hex


@dataclass(frozen=True)
class EventFilters:
    """What a list of events is narrowed to; `words` stand in message, transaction or address.

    `user` is an id, e-mail address, name or IP address.
    """

    environment: str = ""
    release: str = ""
    user: str = ""
    words: str = ""


@dataclass(frozen=True)
class EventPage:
    events: Sequence[EventRow]
    next_cursor: str | None


@dataclass(frozen=True)
class Event:
    """`issue_id` 0: in no issue yet. `payload` is the scrubbed payload as the SDK sent it."""

    project_id: int
    event_id: UUID
    issue_id: int
    variant_hash: int
    occurred_at: datetime
    received_at: datetime
    is_clock_corrected: bool
    environment: str
    release: str
    level: str
    platform: str
    server_name: str
    service: str
    message: str
    type: str
    trace_id: UUID | None
    replay_id: UUID | None
    user_hash: int
    payload: dict[str, Any]

    @property
    def id(self) -> str:
        return self.event_id.hex


@dataclass(frozen=True)
class Neighbours:
    """Events of the same issue around one of them; None: there is none."""

    older: UUID | None
    newer: UUID | None
    oldest: UUID | None
    newest: UUID | None


def events_of_issue(
    warehouse: Warehouse,
    project_id: int,
    issue_id: int,
    limit: int = 50,
    cursor: str = "",
    filters: EventFilters | None = None,
) -> EventPage:
    """Newest first."""
    wanted = filters or EventFilters()
    before_occurred_at, before_item_id = _before(cursor) if cursor else (EPOCH, NIL)
    rows = warehouse.rows(
        sql.query("events_of_issue"),
        {
            "project_id": project_id,
            "issue_id": issue_id,
            "environments": [wanted.environment] if wanted.environment else [],
            "releases": [wanted.release] if wanted.release else [],
            "users": [wanted.user] if wanted.user else [],
            "words": wanted.words.split(),
            "has_cursor": bool(cursor),
            "before_occurred_at": before_occurred_at.isoformat(" ").removesuffix("+00:00"),
            "before_item_id": str(before_item_id),
            "limit": limit + 1,
        },
    )
    events = [_event_row(row) for row in rows[:limit]]
    return EventPage(events, _cursor(events[-1]) if len(rows) > limit else None)


def event_by_id(warehouse: Warehouse, projects: Sequence[int], event_id: UUID) -> Event | None:
    """None unless one of these projects has it."""
    rows = warehouse.rows(sql.query("event_by_id"), {"projects": list(projects), "item_id": str(event_id)})
    if not rows:
        return None
    row = rows[0]
    values = {name: value for name, value in row.items() if name != "item_id"}
    return Event(
        **{
            **values,
            "event_id": row["item_id"],
            "occurred_at": aware(row["occurred_at"]),
            "received_at": aware(row["received_at"]),
            "trace_id": _known(row["trace_id"]),
            "replay_id": _known(row["replay_id"]),
            "payload": msgspec.json.decode(row["payload"]),
        }
    )


def most_telling_event(warehouse: Warehouse, project_id: int, issue_id: int) -> UUID | None:
    """Of the latest 100 the one with most to read: variables, source, request, breadcrumbs, user, replay."""
    rows = warehouse.rows(
        sql.query("most_telling_event"),
        {"project_id": project_id, "issue_id": issue_id, "event_limit": TELLING_AMONG},
    )
    return rows[0]["item_id"] if rows else None


def neighbours_of_event(warehouse: Warehouse, event: Event) -> Neighbours:
    """Before and after it in its issue as it is put together by now."""
    row = warehouse.rows(
        sql.query("neighbours_of_event"),
        {
            "project_id": event.project_id,
            "issue_id": event.issue_id,
            "occurred_at": event.occurred_at.isoformat(" ").removesuffix("+00:00"),
            "item_id": str(event.event_id),
        },
    )[0]
    return Neighbours(**{name: _known(value) for name, value in row.items()})


def _known(uuid: UUID) -> UUID | None:
    return None if uuid == NIL else uuid


def _event_row(row: Row) -> EventRow:
    user_names = ("user_id", "user_email", "user_name", "user_ip")
    values = {name: value for name, value in row.items() if name not in (*user_names, "item_id")}
    return EventRow(
        **{
            **values,
            "event_id": row["item_id"],
            "occurred_at": aware(row["occurred_at"]),
            "received_at": aware(row["received_at"]),
            "user": User(*(row[name] for name in user_names)),
        }
    )


def _cursor(event: EventRow) -> str:
    return cursor_text((event.occurred_at - EPOCH) // MILLISECOND, event.event_id.hex)


def _before(cursor: str) -> tuple[datetime, UUID]:
    milliseconds, item_id = cursor_values(cursor, 2)
    try:
        return EPOCH + int(milliseconds) * MILLISECOND, UUID(item_id)
    except (ValueError, OverflowError) as error:
        raise unknown_cursor() from error
