"""Log records beside an event: those of its trace, else those of its host just before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from errata_wire.log_levels import Level, levels_from

from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.expressions import Condition, Text, Uuid
from errata.warehouse.queries.issue.events import Event
from errata.warehouse.typed_rows import typed

SHOWN_AT_MOST = 100
AROUND = timedelta(minutes=5)
BEFORE = timedelta(minutes=1)
MILLISECOND = timedelta(milliseconds=1)
# No record is stored as later than an hour after its receipt.
CLOCKS_AHEAD = timedelta(hours=1)


class LogScope(StrEnum):
    """Which records belong to an event."""

    TRACE = "trace"
    HOST = "host"


@dataclass(frozen=True)
class LogRecord:
    """`span_id` 0: logged outside of a span."""

    item_id: UUID
    occurred_at: datetime
    level: Level
    body: str
    attributes: Mapping[str, str]
    trace_id: UUID | None
    span_id: int
    server_name: str
    environment: str
    release: str
    service: str

    @property
    def id(self) -> str:
        return self.item_id.hex

    @property
    def span(self) -> str:
        """16 hexadecimal digits; empty: none."""
        return f"{self.span_id:016x}" if self.span_id else ""


@dataclass(frozen=True)
class LogFilters:
    """Records of a level or a more severe one whose text or attributes contain `text`, letter case aside."""

    level: str = ""
    text: str = ""

    @property
    def are_set(self) -> bool:
        return bool(self.level or self.text)


NO_FILTERS = LogFilters()


@dataclass(frozen=True)
class EventLogs:
    """The oldest record first. `scope` None: none are beside the event, whatever the filters.

    `record_count`: of all that match; of more than were asked for, `records` are those nearest to the event.
    """

    scope: LogScope | None = None
    record_count: int = 0
    records: Sequence[LogRecord] = ()


@dataclass(frozen=True)
class _Reach:
    scope: LogScope
    is_meant: Condition
    since: datetime
    until: datetime


def logs_beside_event(
    warehouse: Warehouse, event: Event, filters: LogFilters = NO_FILTERS, limit: int = SHOWN_AT_MOST
) -> EventLogs:
    """Records of the event's trace within five minutes; if there are none, those of the same host and
    environment in the minute before it."""
    for reach in _reaches(event):
        found = _rows(warehouse, event, reach, NO_FILTERS, 1 if filters.are_set else limit)
        if not found:
            continue
        rows = _rows(warehouse, event, reach, filters, limit) if filters.are_set else found
        records = [typed(LogRecord, row) for row in rows]
        return EventLogs(reach.scope, rows[0]["record_count"] if rows else 0, records)
    return EventLogs()


def _reaches(event: Event) -> list[_Reach]:
    moment, reaches = event.occurred_at, list[_Reach]()
    if event.trace_id is not None:
        is_meant = Uuid.column("trace_id").one_of([event.trace_id])
        reaches.append(_Reach(LogScope.TRACE, is_meant, moment - AROUND, moment + AROUND))
    if event.server_name:
        is_meant = Text.column("server_name").one_of([event.server_name]) & Text.column("environment").one_of(
            [event.environment]
        )
        reaches.append(_Reach(LogScope.HOST, is_meant, moment - BEFORE, moment + MILLISECOND))
    return reaches


def _rows(
    warehouse: Warehouse, event: Event, reach: _Reach, filters: LogFilters, limit: int
) -> Sequence[Row]:
    return warehouse.rows(
        sql.query("logs_beside_event").at(is_meant=reach.is_meant),
        {
            "project_id": event.project_id,
            "since": reach.since,
            "until": reach.until,
            "received_from": reach.since - CLOCKS_AHEAD,
            "moment": event.occurred_at,
            "levels": list(levels_from(filters.level)),
            "text": filters.text,
            "limit": limit,
        },
    )
