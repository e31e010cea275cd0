"""One event, to view or download."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response
from pydantic import Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import EventNotFound
from api.parameters import Moment
from api.problems import responses
from api.shown import IssueIdTextIfAny, Shown, UuidText
from api.tables import CSV_TOO, csv_answer
from errata.warehouse.queries.issue.events import event_by_id

router = APIRouter(tags=["issues"])


class EventDetail(Shown):
    event_id: UuidText = Field(description="32 hexadecimal digits.")
    issue_id: IssueIdTextIfAny = Field(description="Null if it isn't in an issue yet.")
    project: str = Field(description="Project slug.")
    occurred_at: Moment
    received_at: Moment
    is_clock_corrected: bool = Field(description="Whether an impossible client clock was corrected.")
    environment: str
    release: str
    level: str
    platform: str
    server_name: str
    has_payload: bool = Field(
        description="False if the project was over its payload limit; only the rows are then stored."
    )
    payload: dict[str, Any] = Field(description="As the SDK sent it, scrubbed; empty without one.")


@router.get(
    "/api/events/{event_id}",
    operation_id="event",
    summary="Get an event with all its data",
    dependencies=DECLARED,
    response_model=EventDetail,
    responses={
        **responses(
            *("invalid_parameter", "invalid_api_key", "event_not_found"),
            *("state_unavailable", "warehouse_unavailable"),
        ),
        **CSV_TOO,
    },
)
def event(
    event_id: Annotated[UUID, Path(description="32 hexadecimal digits, or a UUID.")],
    asking: CallerDependency,
    context: ContextDependency,
    format: Annotated[  # noqa: A002
        Literal["json", "csv"] | None,
        Query(description="Download format; CSV has one row per value, with its path."),
    ] = None,
) -> EventDetail | Response:
    slugs = {project.id: project.slug for project in context.state.projects.visible(asking)}
    found = event_by_id(context.read, list(slugs), event_id)
    if found is None:
        raise EventNotFound(event_id.hex)
    shown = EventDetail.of(found, project=slugs[found.project_id])
    name = f"event-{found.id}"
    if format == "csv":
        rows = [{"path": path, "value": value} for path, value in values(shown.model_dump(mode="json"))]
        return csv_answer(name, ["path", "value"], rows)
    if format == "json":
        headers = {"Content-Disposition": f'attachment; filename="{name}.json"'}
        return Response(shown.model_dump_json(indent=2), media_type="application/json", headers=headers)
    return shown


def values(node: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every value with its path, such as `payload.exception.values[0].type`."""
    if isinstance(node, dict) and node:
        parts = [(f"{path}.{name}" if path else name, child) for name, child in node.items()]
    elif isinstance(node, list) and node:
        parts = [(f"{path}[{number}]", child) for number, child in enumerate(node)]
    else:
        return [(path, node if not isinstance(node, dict | list) else str(node))]
    return [pair for child_path, child in parts for pair in values(child, child_path)]
