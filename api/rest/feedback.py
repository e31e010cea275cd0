"""Messages that users wrote about errors and pages."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.errors import IssueNotFound
from api.parameters import CursorParameter, LimitParameter, Moment
from api.problems import responses
from api.rest.event_attachments import AttachmentShown
from api.rest.issues import READ_CODES
from api.shown import IssueIdTextIfAny, Shown, UuidText
from errata.warehouse.expressions import all_of
from errata.warehouse.queries.issue.feedback import (
    ANY,
    about_errors_of,
    feedback_of_project,
    written_during,
)
from errata.warehouse.queries.issue.merged_issue import merged_issue

router = APIRouter(tags=["feedback"])


class FeedbackShown(Shown):
    id: str = Field(description="32 hexadecimal digits.")
    occurred_at: Moment
    message: str
    user_name: str = Field(description="As the user wrote it; empty: not given.")
    user_email: str = Field(description="As the user wrote it; empty: not given.")
    url: str = Field(description="Of the page, without query and fragment; empty: not sent.")
    associated_event_id: UuidText | None = Field(
        description="Event ID of the error it is about; null: not given."
    )
    issue_id: IssueIdTextIfAny = Field(description="Issue of that error; null: the error isn't stored.")
    replay_id: UuidText | None
    environment: str
    release: str
    attachments: list[AttachmentShown] = Field(
        description="Attachments such as a screenshot, stored under the feedback's event ID."
    )


class FeedbackList(BaseModel):
    feedback: list[FeedbackShown]
    next_cursor: str | None


@router.get(
    "/api/projects/{slug}/feedback",
    operation_id="feedback",
    summary="List user feedback, newest first",
    dependencies=DECLARED,
    responses=responses(*READ_CODES, "project_not_found", "issue_not_found"),
)
def feedback(
    slug: str,
    asking: CallerDependency,
    context: ContextDependency,
    issue: Annotated[
        str, Query(pattern="^([0-9a-f]{16})?$", description="Only about errors of this issue; empty: all.")
    ] = "",
    replay: Annotated[
        str, Query(pattern="^([0-9a-f]{32})?$", description="Only written during this replay; empty: all.")
    ] = "",
    limit: LimitParameter = 50,
    cursor: CursorParameter = "",
) -> FeedbackList:
    project = asking.project(context, slug)
    meant = [ANY]
    if issue:
        about = merged_issue(context.read, project.id, int(issue, 16))
        if about is None:
            raise IssueNotFound(issue)
        meant.append(about_errors_of(about))
    if replay:
        meant.append(written_during(UUID(replay)))
    found = feedback_of_project(context.read, project.id, all_of(meant), limit, cursor)
    return FeedbackList(
        feedback=[FeedbackShown.of(one) for one in found.messages], next_cursor=found.next_cursor
    )
