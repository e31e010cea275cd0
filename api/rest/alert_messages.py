"""The delivery log: alert messages, their receivers, and their outcome."""

import re
from datetime import datetime, timedelta

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import (
    DEFAULT_LIMIT,
    CursorParameter,
    LimitParameter,
    Moment,
    decode_cursor,
    encode_cursor,
)
from api.problems import responses
from api.shown import Shown
from errata.clock import EPOCH
from errata.state.alerts.messages import Message
from errata.warehouse.queries.cursor import unknown_cursor

router = APIRouter(tags=["alerts"])

MILLISECOND = timedelta(milliseconds=1)
LATEST_MS = 1 << 42
MESSAGE_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)


class MessageShown(Shown):
    id: str = Field(description="The same for every attempt.")
    kind: str = Field(description="`fired`, `digest` or `test`.")
    channel_id: str
    channel: str = Field(validation_alias="channel_name")
    subject: str
    recipient: str = Field(
        description="Shown to owners and the API key only, like `answer`; otherwise empty."
    )
    status: str = Field(description="`waiting`, `sent`, `failed` (no more retries) or `cancelled`.")
    created_at: Moment
    attempt_count: int
    next_attempt_at: Moment | None = Field(validation_alias="due_at")
    ended_at: Moment | None
    answer: str = Field(description="Latest response from the recipient's server.")


class MessagePage(BaseModel):
    messages: list[MessageShown]
    next_cursor: str | None


@router.get(
    "/api/projects/{slug}/alert-messages",
    operation_id="alert_messages",
    summary="List a project's alert delivery log",
    dependencies=DECLARED,
    responses=responses("invalid_parameter", "invalid_api_key", "state_unavailable", "project_not_found"),
)
def alert_messages(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    limit: LimitParameter = DEFAULT_LIMIT,
    cursor: CursorParameter = "",
) -> MessagePage:
    """Newest first; tests of channels are listed in every project."""
    project = asking.project(context, slug)
    before = _place(cursor) if cursor else None
    found = context.state.alerts.messages.of_project(
        asking.organization_id,
        project.id,
        limit=limit + 1,
        before=before,
        reader=asking,
    )
    shown = found[:limit]
    return MessagePage(
        messages=[MessageShown.of(message) for message in shown],
        next_cursor=_cursor(shown[-1]) if len(found) > limit else None,
    )


def _cursor(message: Message) -> str:
    return encode_cursor((message.created_at - EPOCH) // MILLISECOND, message.id)


def _place(cursor: str) -> tuple[datetime, str]:
    milliseconds, message_id = decode_cursor(cursor, int, str)
    if not 0 <= milliseconds < LATEST_MS or not MESSAGE_ID.fullmatch(message_id):
        raise unknown_cursor()
    return EPOCH + milliseconds * MILLISECOND, message_id
