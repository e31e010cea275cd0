"""Files that were sent with an event."""

from typing import Annotated
from urllib.parse import quote
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import AttachmentNotFound, EventNotFound
from api.problems import responses
from api.shown import Shown
from errata.warehouse.queries.issue.attachments import attachment_content, attachments_of
from errata.warehouse.queries.issue.events import event_by_id

router = APIRouter(tags=["issues"])

CODES = ("invalid_parameter", "invalid_api_key", "state_unavailable", "warehouse_unavailable")
EventId = Annotated[UUID, Path(description="32 hexadecimal digits, or a UUID.")]
# Whoever sent a file chose its type: a browser saves it, and neither shows it nor guesses what it is.
DOWNLOADED = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
}


class AttachmentShown(Shown):
    id: str = Field(description="32 hexadecimal digits.")
    filename: str
    content_type: str = Field(description="As sent; empty if not sent.")
    attachment_type: str = Field(description="As sent, such as `event.view_hierarchy`; empty: not sent.")
    byte_count: int = Field(description="Size as stored, after secrets were removed.")


class AttachmentList(BaseModel):
    attachments: list[AttachmentShown]


@router.get(
    "/api/events/{event_id}/attachments",
    operation_id="event_attachments",
    summary="List an event's attachments",
    dependencies=DECLARED,
    responses=responses(*CODES, "event_not_found"),
)
def event_attachments(
    event_id: EventId, asking: CallerDependency, context: ContextDependency
) -> AttachmentList:
    """By name."""
    projects = [project.id for project in context.state.projects.visible(asking)]
    found = event_by_id(context.read, projects, event_id)
    if found is None:
        raise EventNotFound(event_id.hex)
    attachments = attachments_of(context.read, found.project_id, [event_id])[event_id]
    return AttachmentList(attachments=[AttachmentShown.of(each) for each in attachments])


@router.get(
    "/api/events/{event_id}/attachments/{attachment_id}",
    operation_id="event_attachment",
    summary="Download an attachment of an event",
    dependencies=DECLARED,
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {}}, "description": "The file."},
        **responses(*CODES, "attachment_not_found"),
    },
)
def event_attachment(
    event_id: EventId,
    attachment_id: Annotated[UUID, Path(description="32 hexadecimal digits, or a UUID.")],
    asking: CallerDependency,
    context: ContextDependency,
) -> Response:
    projects = [project.id for project in context.state.projects.visible(asking)]
    found = attachment_content(context.read, projects, event_id, attachment_id)
    if found is None:
        raise AttachmentNotFound
    headers = DOWNLOADED | {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.filename)}"}
    return Response(found.content, media_type="application/octet-stream", headers=headers)
