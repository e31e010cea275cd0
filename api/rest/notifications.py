"""A signed-in person's notifications."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.authentication import DECLARED, OwnSessionDependency
from api.context import Context, ContextDependency
from api.notifications import MOST_A_PAGE, address, further_detail, sentence
from api.parameters import (
    LARGEST_ID,
    CursorParameter,
    LimitParameter,
    Moment,
    WholeNumber,
    decode_cursor,
    encode_cursor,
)
from api.problems import responses
from api.shown import Shown
from errata.state.notifications import MOST_A_PERSON, Kind, Notification
from errata.state.sessions import WebSession

router = APIRouter(tags=["account"])

CODES = ("invalid_parameter", "invalid_api_key", "forbidden", "state_unavailable")
NotificationId = Annotated[WholeNumber, Field(ge=1, le=LARGEST_ID)]


class NotificationShown(Shown):
    id: int
    kind: Kind
    text: str = Field(description="Who did what, or what happened.")
    title: str = Field(description="Title of the issue; may be empty.")
    detail: str = Field(description="Such as the text of a comment; may be empty.")
    count: int = Field(description="Number of issues, or of firings of a rule.")
    actor: str = Field(description="Email address or API key; empty: automatic.")
    project: str = Field(validation_alias="project_slug", description="Slug.")
    issue_id: str | None
    at: Moment
    is_read: bool
    address: str = Field(description="The page it is about.")


class NotificationList(BaseModel):
    notifications: list[NotificationShown] = Field(
        description=f"The latest first; the latest {MOST_A_PERSON} are kept."
    )
    unread_count: int
    next_cursor: str | None


class ToRead(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ids: list[NotificationId] = Field([], max_length=MOST_A_PERSON)
    through_id: Annotated[WholeNumber, Field(ge=0, le=LARGEST_ID)] = Field(
        0, description="Marks this one and all earlier ones; later ones stay unread."
    )


class Unread(BaseModel):
    unread_count: int


@router.get(
    "/api/notifications",
    operation_id="notifications",
    summary="List your notifications",
    dependencies=DECLARED,
    responses=responses(*CODES),
)
def notifications(
    session: OwnSessionDependency,
    context: ContextDependency,
    limit: LimitParameter = MOST_A_PAGE,
    cursor: CursorParameter = "",
) -> NotificationList:
    """For signed-in users: issues assigned to you, changes to issues you own or follow, and alerts that you
    created or get by email."""
    before_id = decode_cursor(cursor, int)[0] if cursor else None
    found = context.state.notifications.of_user(
        session.organization_id, session.user_id, limit + 1, before_id
    )
    return NotificationList(
        notifications=[_shown(one) for one in found[:limit]],
        unread_count=_unread_count(context, session),
        next_cursor=encode_cursor(found[limit - 1].id) if len(found) > limit else None,
    )


@router.post(
    "/api/notifications/read",
    operation_id="read_notifications",
    summary="Mark your notifications as read",
    dependencies=DECLARED,
    responses=responses(*CODES, "csrf_failed"),
)
def read_notifications(wanted: ToRead, session: OwnSessionDependency, context: ContextDependency) -> Unread:
    context.state.notifications.mark_read(
        session.organization_id, session.user_id, wanted.ids, wanted.through_id
    )
    return Unread(unread_count=_unread_count(context, session))


def _unread_count(context: Context, session: WebSession) -> int:
    return context.state.notifications.unread_count(session.organization_id, session.user_id)


def _shown(one: Notification) -> NotificationShown:
    return NotificationShown.of(
        one,
        text=sentence(one),
        detail=further_detail(one),
        issue_id=one.issue_id or None,
        address=address(one),
    )
