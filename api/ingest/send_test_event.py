"""POST /api/projects/{slug}/test-event: one event through the whole of ingest, to see that it works."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

import msgspec
from anyio import to_thread
from fastapi import APIRouter, Depends
from pydantic import BaseModel

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.ingest.accept import Delivery, Ingest
from api.ingest.endpoint import ingest_of
from api.ingest.source import Source
from api.problems import responses

router = APIRouter(tags=["ingest"])


class StoredTestEvent(BaseModel):
    event_id: str
    message: str


@router.post(
    "/api/projects/{slug}/test-event",
    operation_id="send_test_event",
    summary="Send a test event to a project",
    status_code=201,
    dependencies=DECLARED,
    responses=responses(
        "invalid_api_key",
        "csrf_failed",
        "project_not_found",
        "rate_limited",
        "rows_not_stored",
        "disk_full",
        "state_unavailable",
    ),
)
async def send_test_event(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    ingest: Annotated[Ingest, Depends(ingest_of)],
) -> StoredTestEvent:
    """The event is stored when this responds and listed within seconds."""
    route = await to_thread.run_sync(
        context.state.keys.app.route_of_project,
        asking.organization_id,
        slug,
        limiter=context.ingest_limiter,
    )
    event_id = uuid4().hex
    item = {
        "type": "event",
        "logged_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "payload": {
            "event_id": event_id,
            "level": "info",
            "platform": "other",
            "message": "Test event",
            "culprit": "Errata",
            "environment": "test",
            "tags": {"sent_by": "Errata"},
        },
    }
    body = msgspec.json.encode(item)
    await ingest.accept(Delivery(asking.organization_id, body, "", "", event_id, Source(), route=route))
    return StoredTestEvent(event_id=event_id, message="Test event stored. It appears below within seconds.")
