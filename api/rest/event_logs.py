"""Log records beside an event."""

from typing import Annotated
from uuid import UUID

from errata_wire.log_levels import Level
from fastapi import APIRouter, Path, Query
from pydantic import Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import EventNotFound
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown, UuidText
from errata.warehouse.queries.issue.events import event_by_id
from errata.warehouse.queries.issue.logs import SHOWN_AT_MOST, LogFilters, LogScope, logs_beside_event

router = APIRouter(tags=["issues"])

MOST_RECORDS = 1_000


class LogRecordShown(Shown):
    id: str = Field(description="32 hexadecimal digits.")
    occurred_at: Moment
    level: Level
    body: str
    attributes: dict[str, str] = Field(description="Numbers, booleans and lists as JSON.")
    trace_id: Annotated[UuidText | None, Field(description="Null: logged outside of a trace.")]
    span_id: str = Field(validation_alias="span", description="16 hexadecimal digits; empty: none.")
    server_name: str
    environment: str
    release: str
    service: str


class EventLogList(Shown):
    scope: LogScope | None = Field(
        description="`trace`: of the event's trace, within five minutes of it; `host`: of its host and "
        "environment, from the minute before it; null: none are stored."
    )
    record_count: int = Field(
        description="Number of matching records; the ones nearest to the event are listed."
    )
    logs: list[LogRecordShown] = Field(validation_alias="records", description="Newest last.")


@router.get(
    "/api/events/{event_id}/logs",
    operation_id="event_logs",
    summary="List the log records around an event",
    dependencies=DECLARED,
    responses=responses(
        *("invalid_parameter", "invalid_api_key", "event_not_found"),
        *("state_unavailable", "warehouse_unavailable"),
    ),
)
def event_logs(
    event_id: Annotated[UUID, Path(description="32 hexadecimal digits, or a UUID.")],
    asking: CallerDependency,
    context: ContextDependency,
    level: Annotated[Level | None, Query(description="Minimum level; empty: all.")] = None,
    query: Annotated[
        str, Query(max_length=200, description="Part of the text or of an attribute's value.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_RECORDS)] = SHOWN_AT_MOST,
) -> EventLogList:
    """Records of the event's trace; if there are none, records of its host from the minute before it."""
    projects = [project.id for project in context.state.projects.visible(asking)]
    found = event_by_id(context.read, projects, event_id)
    if found is None:
        raise EventNotFound(event_id.hex)
    return EventLogList.of(logs_beside_event(context.read, found, LogFilters(level or "", query), limit))
